'use client';

import { useState } from 'react';
import { Chip } from '@/components/ui/chip';
import { Input } from '@/components/ui/input';

/** A label selector in the syntax of Kubernetes; a chip until it is opened. */
export function SelectorField({
  value,
  error,
  onChange,
}: {
  value: string;
  /** The error of the selector. */
  error: string | null;
  onChange: (value: string) => void;
}) {
  const [open, setOpen] = useState(false);
  if (!open && value === '') {
    return (
      <Chip pressed={false} onClick={() => setOpen(true)}>
        Labels
      </Chip>
    );
  }
  return (
    <span className="inline-flex flex-none items-center gap-2">
      <Input
        aria-label="Label selector"
        aria-invalid={error !== null || undefined}
        placeholder="app=cart,tier in (web)"
        autoFocus={open && value === ''}
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => event.key === 'Escape' && onChange('')}
        className="h-[26px]! w-[200px] rounded-full! literal max-desk:h-[34px]!"
      />
      {error !== null && <span className="text-small text-stuck">{error}</span>}
    </span>
  );
}
