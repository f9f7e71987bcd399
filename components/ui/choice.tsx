'use client';

import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';

export interface ChoiceOption {
  value: string;
  label: string;
  /** At the end of its line, such as a count. */
  hint?: number;
}

export interface ChoiceProps {
  label: string;
  any?: string;
  terse?: boolean;
  value: string | null;
  options: readonly ChoiceOption[];
  /** How many of the options are set apart from those below. */
  separateAfter?: number;
  /** Entries below the options. */
  more?: readonly MenuEntry[];
  onChange: (value: string | null) => void;
}

/**
 * A filter as a chip that opens a menu: one of the options, or any. Choosing the current option again clears it. With
 * `terse` the chip shows only the chosen option, without the label before it.
 */
export function Choice({
  label,
  any = 'Any',
  terse = false,
  value,
  options,
  separateAfter = 0,
  more = [],
  onChange,
}: ChoiceProps) {
  const entryOf = (option: ChoiceOption): MenuEntry => ({
    label: option.label,
    hint: option.hint,
    checked: option.value === value,
    onSelect: () => onChange(option.value === value ? null : option.value),
  });
  const [apart, rest] = [options.slice(0, separateAfter), options.slice(separateAfter)];
  const items: MenuEntry[] = [
    { label: any, checked: value === null, onSelect: () => onChange(null) },
    'separator',
    ...apart.map(entryOf),
    ...(apart.length > 0 && rest.length > 0 ? (['separator'] as const) : []),
    ...rest.map(entryOf),
    ...(more.length > 0 ? (['separator', ...more] as const) : []),
  ];
  const chosen = options.find((option) => option.value === value)?.label ?? value;
  return (
    <MenuButton variant="chip" pressed={value !== null} items={items}>
      {chosen === null ? label : <Chosen label={terse ? '' : `${label} `} value={chosen} />}
    </MenuButton>
  );
}

/** A longer value would take a line of chips for itself. */
const VALUE_LENGTH_MAX = 28;

function Chosen({ label, value }: { label: string; value: string }) {
  if (value.length <= VALUE_LENGTH_MAX) return label + value;
  return (
    <span className="flex gap-1">
      {label !== '' && <span className="flex-none">{label}</span>}
      <MiddleEllipsis text={value} className="max-w-[20em]!" />
    </span>
  );
}
