'use client';

import { type Destination, useDestinations } from '@/components/shell/destinations';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { Kbd } from '@/components/ui/kbd';
import { type KeyHint, usePageKeys } from '@/components/ui/key-hints';
import { listShortcuts } from '@/components/ui/shortcuts';

const globalKeys = (destinations: readonly Destination[]): readonly KeyHint[] => [
  { keys: ['⌘K'], label: 'Search workloads, rollouts, pages and actions' },
  { keys: ['↑', '↓', '↵'], label: 'Choose a result of the search and open it' },
  ...destinations.map(({ keys, label }) => ({ keys: keys.split(' '), label: `Go to ${label}` })),
  { keys: ['?'], label: 'Show this list' },
  { keys: ['⌘↵'], label: 'Confirm in a dialog, such as a rollback' },
  { keys: ['esc'], label: 'Close a dialog, a menu or this list' },
];

/** All keys of this page and all global ones. */
export function ShortcutList({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const hints = usePageKeys()?.items ?? [];
  const all = globalKeys(useDestinations());
  const always = open ? availableKeys(all, hints) : [];
  const page = open ? withShortcuts(hints, all) : [];
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keys" size="small">
      <DialogSection className="grid gap-5 pt-1">
        {page.length > 0 && <Group title="On this page" items={page} />}
        <Group title="On every page" items={always} />
      </DialogSection>
    </Dialog>
  );
}

/** Without sequences whose first key is bound on this page, since that binding would run instead. */
function availableKeys(always: readonly KeyHint[], hints: readonly KeyHint[]): readonly KeyHint[] {
  const usedKeys = new Set([
    ...hints.flatMap(({ keys }) => keys),
    ...listShortcuts().map(({ combo }) => combo),
  ]);
  return always.filter(({ keys: [first, second] }) => second === undefined || !usedKeys.has(first ?? ''));
}

/** The keys in the footer, then those that it has no room for. */
function withShortcuts(hints: readonly KeyHint[], always: readonly KeyHint[]): readonly KeyHint[] {
  const known = new Set([...hints, ...always].flatMap(({ keys }) => [...keys, keys.join(' ')]));
  const others = listShortcuts()
    .map(({ combo, label }) => ({ keys: combo.split(' ').map(formatCombo), label }))
    .filter(({ keys }) => !known.has(keys.join(' ')));
  return [...hints.filter(({ keys }) => !keys.includes('?')), ...others];
}

const names: Record<string, string> = {
  mod: '⌘',
  enter: '↵',
  escape: 'esc',
  arrowup: '↑',
  arrowdown: '↓',
  arrowleft: '←',
  arrowright: '→',
};

/** A key of a combination as it is printed: `mod+enter` is ⌘↵. */
function formatCombo(combo: string): string {
  return combo
    .split('+')
    .map((key) => names[key] ?? key)
    .join('');
}

function Group({ title, items }: { title: string; items: readonly KeyHint[] }) {
  return (
    <section>
      <h3 className="border-b border-line pb-1 text-micro text-ink-3">{title}</h3>
      <dl>
        {items.map(({ keys, label }) => (
          <div key={label} className="flex min-h-[30px] items-center gap-3 border-b border-hair">
            <dt className="order-2 ml-auto flex gap-1">
              <span className="sr-only">{keys.join(' then ')}</span>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd className="inline-block text-ink-2 first-letter:uppercase">{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
