'use client';

import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { clsx } from 'clsx';
import { Avatar } from '@/components/ui/avatar';
import { peopleQuery } from '@/components/queries/people';
import { formatCount } from '@/lib/format/text';
import { typedMention } from '@/lib/format/mentions';

const PAUSE_MS = 150;
const SUGGESTED_MAX = 6;
/** Room for as many, on a phone. */
const LIST_HEIGHT_PX = 280;
/** Between the list, the field, and the edge of the window. */
const GAP_PX = 4;

type Typed = NonNullable<ReturnType<typeof typedMention>>;
type FieldProps = Pick<
  React.ComponentProps<'textarea'>,
  | 'onSelect'
  | 'onBlur'
  | 'onKeyDown'
  | 'onInput'
  | 'aria-autocomplete'
  | 'aria-haspopup'
  | 'aria-controls'
  | 'aria-activedescendant'
>;

/**
 * Suggests people in a text field from `@` on. The field stays a textbox: HTML allows it no other role, and a textbox may
 * have a list of suggestions. `insert` gets the whole text and the place of the caret in it.
 */
export function useMention(
  field: React.RefObject<HTMLTextAreaElement | null>,
  insert: (text: string, caret: number) => void,
): { fieldProps: FieldProps; list: React.ReactNode } {
  const id = useId();
  const [typed, setTyped] = useState<Typed | null>(null);
  /** The `@` whose list was closed by Escape or a choice. */
  const [closedAt, setClosedAt] = useState<number | null>(null);
  const [active, setActive] = useState(0);
  const query = useAfterPause(typed?.query ?? '');
  const isTyped = typed !== null && typed.start !== closedAt;
  const { data } = useQuery({
    ...peopleQuery(query, SUGGESTED_MAX),
    enabled: isTyped,
    placeholderData: keepPreviousData,
  });
  const names = isTyped ? matching(data?.items ?? [], typed.query) : [];
  const isOpen = names.length > 0;
  const chosen = Math.min(active, names.length - 1);

  function readCaret({ currentTarget }: React.SyntheticEvent<HTMLTextAreaElement>) {
    const { value, selectionStart, selectionEnd } = currentTarget;
    const next = selectionStart === selectionEnd ? typedMention(value, selectionStart) : null;
    const isShorter = next !== null && typed !== null && next.query.length < typed.query.length;
    if (next?.start !== typed?.start || isShorter) setClosedAt(null);
    if (next?.start !== typed?.start || next?.query !== typed?.query) setActive(0);
    setTyped(next);
  }

  function choose(name: string | undefined) {
    const { current } = field;
    if (current === null || typed === null || name === undefined) return;
    const before = `${current.value.slice(0, typed.start)}@${name}`;
    const after = current.value.slice(typed.start + 1 + typed.query.length);
    const gap = /^\s/.test(after) ? '' : ' ';
    setClosedAt(typed.start);
    insert(before + gap + after, before.length + 1);
  }

  function pressKey(event: React.KeyboardEvent<HTMLTextAreaElement>) {
    const { key, shiftKey, ctrlKey, metaKey, altKey, nativeEvent } = event;
    if (!isOpen || nativeEvent.isComposing || ctrlKey || metaKey || altKey) return;
    if (key === 'ArrowDown') setActive((chosen + 1) % names.length);
    else if (key === 'ArrowUp') setActive((chosen - 1 + names.length) % names.length);
    else if ((key === 'Enter' || key === 'Tab') && !shiftKey) choose(names[chosen]);
    else if (key === 'Escape') setClosedAt(typed?.start ?? null);
    else return;
    // The same keys leave the field, or clear something of the page.
    event.preventDefault();
    event.stopPropagation();
  }

  return {
    fieldProps: {
      onSelect: readCaret,
      // Keyboards of phones and dictation send no keys.
      onInput: readCaret,
      onBlur: () => setTyped(null),
      onKeyDown: pressKey,
      'aria-autocomplete': 'list',
      'aria-haspopup': 'listbox',
      ...(isOpen && { 'aria-controls': id, 'aria-activedescendant': `${id}-${chosen}` }),
    },
    list: (
      <>
        <span role="status" className="sr-only">
          {isOpen && `${formatCount(names.length, 'person', 'people')} to mention`}
        </span>
        {isOpen && <PeopleList id={id} names={names} active={chosen} field={field} onChoose={choose} />}
      </>
    ),
  };
}

/** Above everything, at the field: below it where there is room, else above it. */
function PeopleList({
  id,
  names,
  active,
  field,
  onChoose,
}: {
  id: string;
  names: readonly string[];
  active: number;
  field: React.RefObject<HTMLTextAreaElement | null>;
  onChoose: (name: string) => void;
}) {
  const list = useRef<HTMLUListElement>(null);
  useLayoutEffect(() => {
    const { current } = list;
    if (current === null) return;
    const place = () => {
      const box = field.current?.getBoundingClientRect();
      if (box === undefined) return;
      const below = window.innerHeight - box.bottom;
      const isAbove = below < LIST_HEIGHT_PX && box.top > below;
      current.style.left = `${box.left}px`;
      current.style.maxWidth = `${box.width}px`;
      current.style.top = isAbove ? 'auto' : `${box.bottom + GAP_PX}px`;
      current.style.bottom = isAbove ? `${window.innerHeight - box.top + GAP_PX}px` : 'auto';
      current.style.maxHeight = `${Math.max(below, box.top) - 2 * GAP_PX}px`;
    };
    place();
    // Older browsers show it in its place all the same.
    if ('showPopover' in current) current.showPopover();
    window.addEventListener('scroll', place, { capture: true, passive: true });
    window.addEventListener('resize', place);
    return () => {
      window.removeEventListener('scroll', place, { capture: true });
      window.removeEventListener('resize', place);
    };
  }, [field]);
  useEffect(() => {
    // Where the window is so low that the list scrolls.
    document.getElementById(`${id}-${active}`)?.scrollIntoView?.({ block: 'nearest' });
  }, [id, active]);
  return (
    <ul
      ref={list}
      id={id}
      popover="manual"
      role="listbox"
      aria-label="People"
      className="fixed inset-auto m-0 min-w-[180px] overflow-y-auto rounded-3 border-0 bg-raised py-1 text-ink shadow-menu"
    >
      {names.map((name, index) => (
        <li
          key={name}
          id={`${id}-${index}`}
          role="option"
          aria-selected={index === active}
          // The focus stays in the field.
          onPointerDown={(event) => event.preventDefault()}
          onClick={() => onChoose(name)}
          className={clsx(
            'flex h-8 cursor-default items-center gap-2 px-2.5 max-desk:h-11',
            index === active ? 'bg-selected' : 'hover:bg-hover',
          )}
        >
          <Avatar name={name} size="row" />
          <bdi className="min-w-0 truncate">{name}</bdi>
        </li>
      ))}
    </ul>
  );
}

/** The answer may be for what was typed before; a name that is complete needs no suggestion. */
function matching(items: readonly { name: string }[], query: string): string[] {
  const text = query.toLowerCase();
  const names = items.map(({ name }) => name).filter((name) => name.toLowerCase().includes(text.trimEnd()));
  return names.length === 1 && names[0]?.toLowerCase() === text.trimEnd() && text.endsWith(' ') ? [] : names;
}

function useAfterPause(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
