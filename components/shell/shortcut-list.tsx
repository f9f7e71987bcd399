'use client';

import { Dialog, DialogSection } from '@/components/ui/dialog';
import { TextLink } from '@/components/ui/link';
import { Kbd, useKeyText } from '@/components/ui/kbd';
import { type KeyHint, listShortcuts } from '@/components/ui/shortcuts';

/** What fields, dialogs and menus bind themselves. */
const fixedKeys: readonly KeyHint[] = [
  { combos: ['arrowup', 'arrowdown', 'enter'], label: 'In the search: choose a result and open it' },
  { combos: ['arrowright'], label: 'In the search: show the actions of a workload' },
  { combos: ['mod+enter'], label: 'Confirm in a dialog, such as a rollback' },
  { combos: ['escape'], label: 'Close a dialog, a menu or this list' },
];

/** All keys of this page and all global ones, from the table that binds them. */
export function ShortcutList({
  open,
  onOpenChange,
}: {
  open: boolean;
  onOpenChange: (open: boolean) => void;
}) {
  const shortcuts = open ? listShortcuts() : [];
  const page = shortcuts.filter(({ layer }) => layer === 'page');
  // A sequence whose first key is bound on this page never begins.
  const always = shortcuts.filter(
    ({ combo, label, layer }, index) =>
      layer === 'everywhere' &&
      !page.some((own) => combo.startsWith(`${own.combo} `)) &&
      // Two keys for one destination: the first is enough.
      shortcuts.findIndex((other) => other.layer === layer && other.label === label) === index,
  );
  return (
    <Dialog open={open} onOpenChange={onOpenChange} title="Keyboard shortcuts" size="small">
      <DialogSection className="grid gap-5 pt-2">
        {page.length > 0 && <Group title="On this page" items={page.map(hintOf)} />}
        <Group title="On every page" items={[...always.map(hintOf), ...fixedKeys]} />
        <p className="text-small text-ink-3">
          What the words mean: <TextLink href="/help/glossary">Glossary</TextLink>
        </p>
      </DialogSection>
    </Dialog>
  );
}

function hintOf({ combo, label }: { combo: string; label: string }): KeyHint {
  return { combos: combo.split(' '), label };
}

function Group({ title, items }: { title: string; items: readonly KeyHint[] }) {
  const textOf = useKeyText();
  return (
    <section>
      <h3 className="border-b border-line pb-1 text-micro text-ink-3">{title}</h3>
      <dl>
        {items.map(({ combos, label }) => (
          <div key={combos.join(' ')} className="flex min-h-[30px] items-center gap-3 border-b border-hair">
            <dt className="order-2 ml-auto flex gap-1">
              <span className="sr-only">{combos.map(textOf).join(' then ')}</span>
              {combos.map((combo) => (
                <Kbd key={combo}>{combo}</Kbd>
              ))}
            </dt>
            <dd className="inline-block text-ink-2 first-letter:uppercase">{label}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
