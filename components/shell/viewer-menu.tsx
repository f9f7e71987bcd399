'use client';

import { showOverlay } from '@/components/shell/overlay';
import { setSigningIn } from '@/components/shell/session';
import { setTheme, themes, useTheme } from '@/components/shell/theme';
import { Avatar } from '@/components/ui/avatar';
import { MenuButton } from '@/components/ui/menu-button';
import { useQuery } from '@tanstack/react-query';
import { useClusters } from '@/components/queries/cluster';
import { sessionQuery } from '@/components/queries/session';
import type { MenuEntry } from '@/components/ui/menu-entry';

/** The viewer, and what concerns only them: the theme, the keys. */
export function ViewerMenu() {
  const theme = useTheme();
  const { list } = useClusters();
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
        { label: 'Your identity', glyph: 'info', href: '/settings/identity' },
        { label: 'Glossary', glyph: 'info', href: '/help/glossary' },
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
  {
    label: 'Sign out',
    glyph: 'lock',
    onSelect: () => void import('@/components/shell/sign-out').then((part) => part.signOut()),
  },
] as const satisfies readonly MenuEntry[];
