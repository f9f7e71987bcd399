'use client';

import { useRef } from 'react';
import { clsx } from 'clsx';
import { Glyph } from '@/components/ui/glyph';
import { inputClass } from '@/components/ui/input';
import { Kbd } from '@/components/ui/kbd';
import { Debounced } from '@/components/ui/debounced';
import { useShortcuts } from '@/components/ui/shortcuts';

/**
 * A search over the page's content. `/` focuses it; Escape clears it, a second one leaves it; Arrow down or Enter
 * calls `onLeave`, so that the list can take the focus.
 */
export function SearchField({
  label,
  placeholder,
  value,
  onChange,
  onLeave,
  shortcut = '/',
}: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (value: string) => void;
  onLeave?: () => void;
  shortcut?: string;
}) {
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ [shortcut]: { label, hint: 'search', run: () => field.current?.select() } });

  function onKeyDown(event: React.KeyboardEvent<HTMLInputElement>) {
    if (event.key === 'Escape') {
      event.preventDefault();
      if (value === '') event.currentTarget.blur();
      else onChange('');
    } else if ((event.key === 'ArrowDown' || event.key === 'Enter') && onLeave) {
      event.preventDefault();
      event.currentTarget.blur();
      onLeave();
    }
  }

  return (
    <label className="relative block">
      <Glyph name="search" className="absolute top-2 left-[9px] text-ink-3 max-desk:top-[13px]" />
      <span className="sr-only">{label}</span>
      <input
        ref={field}
        type="search"
        value={value}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={onKeyDown}
        className={clsx(
          inputClass,
          'h-[30px] w-full px-[30px] max-desk:h-10 [&::-webkit-search-cancel-button]:appearance-none',
        )}
      />
      <Kbd className="absolute top-1.5 right-1.5 max-desk:hidden">{value === '' ? shortcut : 'escape'}</Kbd>
    </label>
  );
}

/** A search field that reports typed text after a pause in typing. */
export function DebouncedSearchField({ value, onChange, ...rest }: React.ComponentProps<typeof SearchField>) {
  return (
    <Debounced value={value} onChange={onChange}>
      {(typed, type) => <SearchField {...rest} value={typed} onChange={type} />}
    </Debounced>
  );
}
