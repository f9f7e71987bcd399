import type { AddressChange, ListAddress } from '@/components/list/list-address';
import type { ChoiceOption } from '@/components/ui/choice';
import type { FirstKind } from '@/lib/api/preference-values';
import { formatNamespace } from '@/lib/view/format-namespace';

/** The filters of a list, all of them values of its address. `Facts` is what counts and options are made of. */
export interface Filters<Address, Facts = unknown> {
  /** The field for `q`. */
  search?: { label: string; placeholder: string };
  /** The first one shows all. */
  chips?: readonly FilterChip<Address, Facts>[];
  menus?: readonly FilterMenu<Address, Facts>[];
  /** Filters that only links set, as chips that remove them. */
  exact?: readonly (keyof Address & string)[];
}

export interface FilterChip<Address, Facts> {
  label: string;
  /** What it filters by; a second press resets that. */
  set: AddressChange<Address>;
  /** Matches within the other filters. */
  count?: (facts: Facts) => number | undefined;
}

interface FilterMenu<Address, Facts> {
  name: keyof Address & string;
  label: string;
  any?: string;
  terse?: boolean;
  options: readonly ChoiceOption[] | ((facts: Facts, value: string | null) => readonly ChoiceOption[]);
  /** Options that the viewer wants first are listed first. */
  first?: FirstKind;
  /** Whether any other value of the address is an option too, as a time is. */
  isOpen?: boolean;
}

/** In every list of objects with a namespace. */
export const namespaceMenu = {
  name: 'namespace',
  label: 'Namespace',
  any: 'All namespaces',
  first: 'namespaces',
  options: ({ namespaces }: { namespaces: readonly string[] }) =>
    namespaces.map((value) => ({ value, label: formatNamespace(value) })),
} as const;

/** What the bars of filters draw. */
export interface BarProps<Address, Facts> {
  filters: Filters<Address, Facts>;
  list: ListAddress<Address>;
  /** Undefined while they are unknown. */
  facts: Facts | undefined;
  /** What follows at the end of the line. */
  end?: React.ReactNode;
}

export interface FilterBarProps<Address, Facts> extends BarProps<Address, Facts> {
  /** Filters of one list alone. */
  children?: React.ReactNode;
}
