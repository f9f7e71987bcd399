'use client';

import { MenuButton } from '@/components/ui/menu-button';
import { type MenuEntry } from '@/components/ui/menu-entry';

export interface ChoiceOption {
  value: string;
  label: string;
  /** At the end of its line, such as a count. */
  hint?: number;
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
  onChange,
}: {
  label: string;
  any?: string;
  terse?: boolean;
  value: string | null;
  options: readonly ChoiceOption[];
  onChange: (value: string | null) => void;
}) {
  const items: MenuEntry[] = [
    { label: any, checked: value === null, onSelect: () => onChange(null) },
    'separator',
    ...options.map((option) => ({
      label: option.label,
      hint: option.hint,
      checked: option.value === value,
      onSelect: () => onChange(option.value === value ? null : option.value),
    })),
  ];
  const chosen = options.find((option) => option.value === value)?.label ?? value;
  return (
    <MenuButton variant="chip" pressed={value !== null} items={items}>
      {chosen === null ? label : terse ? chosen : `${label} ${chosen}`}
    </MenuButton>
  );
}
