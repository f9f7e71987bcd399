'use client';

import { showOverlay } from '@/components/shell/overlay';
import { setSigningIn } from '@/components/shell/session';
import { setTheme, themes, useTheme } from '@/components/shell/theme';
import { Avatar } from '@/components/ui/avatar';
import { MenuButton } from '@/components/ui/menu-button';
import { useQuery } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { useClusters } from '@/components/queries/cluster';
import { sessionQuery } from '@/components/queries/session';
import { errorText } from '@/components/ui/error-state';
import { showToast } from '@/components/ui/toast';
import { type MenuEntry } from '@/components/ui/menu-entry';

/** The viewer, and what concerns only them: the theme, the keys. */
export function ViewerMenu() {
  const theme = useTheme();
  const { list, isSeveral } = useClusters();
  const { data: session } = useQuery(sessionQuery());
  const names = [...new Set(list?.items.map(({ viewer }) => viewer.name))];
  const viewer = names.length === 0 ? undefined : names.join(', ');
  return (
    <MenuButton
      variant="bare"
      align="end"
      className="flex flex-none rounded-full hover:ring hover:ring-control"
      items={[
        { heading: viewer === undefined ? 'Viewer unknown' : `You are ${viewer}` },
        'separator',
        { heading: 'Theme' },
        ...themes.map(({ value, label }) => ({
          label,
          checked: theme === value,
          onSelect: () => setTheme(value),
        })),
        'separator',
        {
          label: 'Keyboard shortcuts',
          glyph: 'keyboard',
          kbd: '?',
          onSelect: () => showOverlay('shortcuts'),
        },
        { label: 'Your identity', glyph: 'lock', href: '/settings/identity' },
        { label: 'Glossary', glyph: 'info', href: '/help/glossary' },
        ...(isSeveral ? [{ label: 'Clusters', glyph: 'plug', href: '/clusters' } as const] : []),
        ...(session?.namesCluster === true ? [signInEntry] : []),
        ...(session?.canSignOut === true ? signOutEntries : []),
      ]}
    >
      <Avatar name={viewer ?? ''} size="control" />
      <span className="sr-only">{viewer === undefined ? 'You' : `${viewer}, you`}</span>
    </MenuButton>
  );
}

const signInEntry: MenuEntry = {
  label: 'Sign in to another cluster…',
  glyph: 'lock',
  onSelect: () => setSigningIn(true),
};

const signOutEntries = [
  'separator',
  { label: 'Sign out', glyph: 'lock', onSelect: () => void signOut() },
] as const satisfies readonly MenuEntry[];

/** The page that is loaded then has nothing of the session. */
async function signOut() {
  try {
    const { signOutUrl } = await apiFetch('DELETE /api/session', {});
    location.replace(signOutUrl ?? '/');
  } catch (error) {
    showToast({ title: 'You are still signed in', body: errorText(error), tone: 'bad' });
  }
}
