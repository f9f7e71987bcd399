'use client';

import { lazy, Suspense, useState } from 'react';
import { useRouter } from 'next/navigation';
import { useDestinations } from '@/components/shell/destinations';
import { type Overlay, showOverlay, useOverlay } from '@/components/shell/overlay';
import { useShortcuts } from '@/components/ui/shortcuts';

const CommandPalette = lazy(async () => ({
  default: (await import('@/components/shell/command-palette')).CommandPalette,
}));
const ShortcutList = lazy(async () => ({
  default: (await import('@/components/shell/shortcut-list')).ShortcutList,
}));
const ConnectDialog = lazy(async () => ({
  default: (await import('@/components/shell/connect-dialog')).ConnectDialog,
}));

const TIMELINE = '/timeline';

/** The global keys and the overlays that they open; each is loaded on first use. */
export function Overlays() {
  const router = useRouter();
  const overlay = useOverlay();
  const destinations = useDestinations();
  const [used, setUsed] = useState<readonly Overlay[]>([]);
  if (overlay && !used.includes(overlay)) setUsed([...used, overlay]);

  useShortcuts({
    'mod+k': () => showOverlay('palette'),
    '?': () => showOverlay('shortcuts'),
    ...(destinations.some(({ href }) => href === TIMELINE)
      ? { t: { label: 'The timeline of all workloads', run: () => router.push(TIMELINE) } }
      : {}),
    ...Object.fromEntries(destinations.map(({ keys, href }) => [keys, () => router.push(href)])),
  });

  const close = (open: boolean) => showOverlay(open ? overlay : null);
  return (
    <Suspense fallback={null}>
      {used.includes('palette') && <CommandPalette open={overlay === 'palette'} onOpenChange={close} />}
      {used.includes('shortcuts') && <ShortcutList open={overlay === 'shortcuts'} onOpenChange={close} />}
      {used.includes('connect') && <ConnectDialog open={overlay === 'connect'} onOpenChange={close} />}
    </Suspense>
  );
}
