'use client';

import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';

export interface ChoiceOption {
  value: string;
  label: string;
}

/**
 * A filter as a chip that opens a menu: one of the options, or any. Choosing again what is chosen takes it away.
 * With `terse` only what is chosen stands on the chip, without the label before it.
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
      checked: option.value === value,
      onSelect: () => onChange(option.value === value ? null : option.value),
    })),
  ];
  const chosen = options.find((option) => option.value === value)?.label ?? value;
  return (
    <MenuButton look="chip" pressed={value !== null} items={items}>
      {chosen === null ? label : terse ? chosen : `${label} ${chosen}`}
    </MenuButton>
  );
}
