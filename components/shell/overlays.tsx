'use client';

import { lazy, Suspense, useEffect, useState } from 'react';
import { usePathname, useRouter, useSearchParams } from 'next/navigation';
import { useDestinations } from '@/components/shell/destinations';
import { type Overlay, showOverlay, useOverlay } from '@/components/shell/overlay';
import { loadPart } from '@/components/ui/lazy-part';
import { type Shortcut, useShortcuts } from '@/components/ui/shortcuts';

interface OverlayProps {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}

/** One that does not come is closed again. */
const lazyOverlay = (load: () => Promise<React.ComponentType<OverlayProps>>) =>
  lazy(() => loadPart(load(), () => showOverlay(null)));

const CommandPalette = lazyOverlay(
  async () => (await import('@/components/shell/command-palette')).CommandPalette,
);
const ShortcutList = lazyOverlay(async () => (await import('@/components/shell/shortcut-list')).ShortcutList);
const ConnectDialog = lazyOverlay(
  async () => (await import('@/components/shell/connect-dialog')).ConnectDialog,
);

const TIMELINE = '/timeline';

/** The global keys and the overlays that they open; each is loaded on first use. */
export function Overlays() {
  const router = useRouter();
  const pathname = usePathname();
  const cluster = useSearchParams().get('cluster') ?? undefined;
  useEffect(() => {
    if (!pathname.startsWith('/workloads/')) return;
    import('@/components/shell/recent-workloads').then(
      ({ noteOpened }) => noteOpened(pathname, cluster),
      // Then the palette does not list it as recent.
      () => {},
    );
  }, [pathname, cluster]);
  const overlay = useOverlay();
  const destinations = useDestinations();
  const [used, setUsed] = useState<readonly Overlay[]>([]);
  if (overlay && !used.includes(overlay)) setUsed([...used, overlay]);

  const goTo = destinations.flatMap(({ keys, href, label }): [string, Shortcut][] => {
    const shortcut = { label: `Go to ${label}`, run: () => router.push(href) };
    return href === TIMELINE
      ? [
          [keys, shortcut],
          ['t', shortcut],
        ]
      : [[keys, shortcut]];
  });
  useShortcuts(
    {
      'mod+k': {
        label: 'Search workloads, rollouts, pages and actions',
        run: () => showOverlay('palette'),
      },
      ...Object.fromEntries(goTo),
      '?': { label: 'Show this list', run: () => showOverlay('shortcuts') },
    },
    { layer: 'everywhere' },
  );

  const onOpenChange = (open: boolean) => showOverlay(open ? overlay : null);
  return (
    <Suspense fallback={null}>
      {used.includes('palette') && (
        <CommandPalette open={overlay === 'palette'} onOpenChange={onOpenChange} />
      )}
      {used.includes('shortcuts') && (
        <ShortcutList open={overlay === 'shortcuts'} onOpenChange={onOpenChange} />
      )}
      {used.includes('connect') && <ConnectDialog open={overlay === 'connect'} onOpenChange={onOpenChange} />}
    </Suspense>
  );
}
