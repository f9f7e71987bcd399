'use client';

import Link from 'next/link';
import { Menu } from '@base-ui/react/menu';
import { clsx } from 'clsx';
import { Glyph } from '@/components/ui/glyph';
import { Kbd } from '@/components/ui/kbd';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import type { MenuEntry, MenuAction } from '@/components/ui/menu-entry';

/** The list that `MenuButton` opens. It imports Base UI, so load it lazily. */
export function MenuPopup({
  id,
  open,
  onOpenChange,
  anchor,
  items,
  align,
}: {
  id: string;
  open: boolean;
  onOpenChange: (open: boolean) => void;
  anchor: React.RefObject<HTMLButtonElement | null>;
  items: readonly MenuEntry[];
  align: 'start' | 'end';
}) {
  return (
    <Menu.Root
      open={open}
      modal={false}
      onOpenChange={(next, details) => {
        // A press on our own trigger already closes the menu; handling it here too would open the menu again.
        if (details.reason === 'outside-press' && pressedOn(anchor.current, details.event)) return;
        onOpenChange(next);
      }}
    >
      <Menu.Portal>
        <Menu.Positioner anchor={anchor} align={align} sideOffset={4} collisionPadding={8} className="z-50">
          <Menu.Popup
            id={id}
            finalFocus={() => (isDialogOpen() ? false : anchor.current)}
            className={clsx(
              'max-h-(--available-height) max-w-[min(380px,calc(100vw-16px))] min-w-[180px] overflow-y-auto rounded-3 bg-raised py-1 shadow-menu outline-none',
              'transition-opacity data-[ending-style]:opacity-0 data-[starting-style]:opacity-0',
            )}
          >
            {items.map((item, index) => (
              <Entry key={index} item={item} />
            ))}
          </Menu.Popup>
        </Menu.Positioner>
      </Menu.Portal>
    </Menu.Root>
  );
}

/** The chosen entry may have opened a dialog, which took the focus and returns it itself. */
function isDialogOpen(): boolean {
  return document.querySelector('[data-modal]') !== null;
}

function Entry({ item }: { item: MenuEntry }) {
  if (item === 'separator') return <Menu.Separator className="my-1 border-t border-hair" />;
  if ('heading' in item) {
    return (
      <div role="presentation" className="px-3 pt-1.5 pb-0.5 text-micro text-ink-3">
        {item.heading}
      </div>
    );
  }
  if (item.href !== undefined) {
    return (
      <Menu.LinkItem
        render={<Link href={item.href} />}
        closeOnClick
        aria-current={item.checked === true ? 'page' : undefined}
        className={itemClass(item)}
      >
        <EntryContent item={item} />
      </Menu.LinkItem>
    );
  }
  if (item.checked !== undefined) {
    return (
      <Menu.CheckboxItem
        checked={item.checked}
        closeOnClick={item.staysOpen !== true}
        disabled={item.disabledReason != null}
        onClick={item.onSelect}
        className={itemClass(item)}
      >
        <EntryContent item={item} />
      </Menu.CheckboxItem>
    );
  }
  return (
    <Menu.Item
      disabled={item.disabledReason != null}
      onClick={item.onSelect}
      title={item.disabledReason ?? undefined}
      className={itemClass(item)}
    >
      <EntryContent item={item} />
    </Menu.Item>
  );
}

function EntryContent({ item }: { item: MenuAction }) {
  return (
    <>
      {item.checked !== undefined && (
        <Glyph name="check" size={12} className={item.checked ? 'text-ink' : 'invisible'} />
      )}
      {item.glyph && <Glyph name={item.glyph} className="text-ink-3" />}
      <span className="min-w-0 flex-1">
        {/* Names of pods differ at their end. */}
        <span className="flex">
          <MiddleEllipsis text={item.label} />
        </span>
        {item.disabledReason != null && (
          <span className="block text-small whitespace-normal text-ink-3">{item.disabledReason}</span>
        )}
      </span>
      {item.hint !== undefined && <span className="text-small text-ink-3">{item.hint}</span>}
      {item.kbd !== undefined && <Kbd className="max-desk:hidden">{item.kbd}</Kbd>}
    </>
  );
}

function itemClass(item: MenuAction): string {
  return clsx(
    'flex min-h-[30px] cursor-default items-center gap-2 px-3 py-1 text-start outline-none data-[highlighted]:bg-hover max-desk:min-h-11',
    item.disabledReason != null ? 'text-ink-3' : item.tone === 'danger' ? 'text-stuck' : 'text-ink',
  );
}

function pressedOn(element: HTMLElement | null, event: Event): boolean {
  return element !== null && event.target instanceof Node && element.contains(event.target);
}
