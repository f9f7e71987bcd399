'use client';

import { type AddressChange, type ListAddress } from '@/components/list/list-address';
import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { Choice, type ChoiceOption } from '@/components/ui/choice';
import { Glyph } from '@/components/ui/glyph';
import { DebouncedSearchField, SearchField } from '@/components/ui/search-field';

/** The filters of a list, all of them values of its address. `Facts` is what counts and options are made of. */
export interface Filters<Address, Facts = unknown> {
  /** The field for `q`. */
  search?: { label: string; placeholder: string };
  /** The first one shows all. */
  chips?: readonly FilterChip<Address, Facts>[];
  menus?: readonly FilterMenu<Address, Facts>[];
  /** Whether each letter is reported at once, which only filters in the browser can follow. */
  isImmediate?: boolean;
  /** Filters that only links set, as chips that remove them. */
  exact?: readonly (keyof Address & string)[];
}

interface FilterChip<Address, Facts> {
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
  /** Whether any other value of the address is an option too, as a time is. */
  isOpen?: boolean;
}

/** When something began: a duration back from now (`7d`), or a time. */
export const periodMenu = {
  name: 'since',
  label: 'Period',
  any: 'Any time',
  terse: true,
  isOpen: true,
  options: [
    { value: '1h', label: 'last hour' },
    { value: '24h', label: 'last 24 hours' },
    { value: '7d', label: 'last 7 days' },
    { value: '30d', label: 'last 30 days' },
  ],
} as const;

/** The bar above a list: search, chips, menus and the reset. */
export function FilterBar<Address extends object, Facts>({
  filters: { search, chips = [], menus = [], isImmediate = false, exact = [] },
  list: { address, change, isFiltered, clear },
  facts,
  onLeaveSearch,
  end,
  children,
}: {
  filters: Filters<Address, Facts>;
  list: ListAddress<Address>;
  /** Undefined while they are unknown. */
  facts: Facts | undefined;
  onLeaveSearch?: () => void;
  /** What follows at the end of the line. */
  end?: React.ReactNode;
  /** Filters of one list alone. */
  children?: React.ReactNode;
}) {
  const values = address as Record<string, unknown>;
  const set = (name: string, value: string | null, step?: 'typing') =>
    change({ [name]: value } as AddressChange<Address>, step);
  const Search = isImmediate ? SearchField : DebouncedSearchField;
  return (
    <div
      role="search"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:flex-nowrap max-desk:items-stretch"
    >
      {search !== undefined && (
        <div className="desk:w-[268px] desk:flex-none">
          <Search
            {...search}
            value={String(values.q)}
            onChange={(q) => set('q', q, 'typing')}
            onLeave={onLeaveSearch}
          />
        </div>
      )}
      <ChipRow label="Filters" className="min-w-0 flex-1 py-0.5">
        {chips.map((chip, index) => (
          <Chip
            key={chip.label}
            data-first-chip={index === 0 ? '' : undefined}
            pressed={isPressed(chip, values)}
            count={facts && chip.count?.(facts)}
            onClick={() => change(isPressed(chip, values) ? resetOf(chip) : chip.set)}
          >
            {chip.label}
          </Chip>
        ))}
        {menus.map(({ name, options, isOpen, ...menu }) => {
          const isOnChip = chips.some((chip) => name in chip.set && isPressed(chip, values));
          const value = isOnChip ? null : ((values[name] as string | null) ?? null);
          const known =
            typeof options !== 'function' ? options : facts === undefined ? [] : options(facts, value);
          return (
            <Choice
              key={name}
              {...menu}
              value={value}
              options={isOpen === true ? withOther(known, value) : known}
              onChange={(chosen) => set(name, chosen)}
            />
          );
        })}
        {children}
        {exact.map((name) => (
          <ExactFilter key={name} name={name} value={values[name]} onRemove={() => set(name, null)} />
        ))}
        {isFiltered && <ClearFilters onClear={clear} />}
      </ChipRow>
      {end}
    </div>
  );
}

function isPressed<Address>({ set }: FilterChip<Address, never>, values: Record<string, unknown>): boolean {
  return Object.entries(set).every(([name, value]) => values[name] === value);
}

function resetOf<Address>({ set }: FilterChip<Address, never>): AddressChange<Address> {
  return Object.fromEntries(Object.keys(set).map((name) => [name, null])) as AddressChange<Address>;
}

/** The options, plus the current value where it is none of them. */
function withOther(options: readonly ChoiceOption[], value: string | null): readonly ChoiceOption[] {
  if (value === null || options.some((option) => option.value === value)) return options;
  return [...options, { value, label: `since ${value}` }];
}

function ExactFilter({ name, value, onRemove }: { name: string; value: unknown; onRemove: () => void }) {
  if (typeof value !== 'string' || value === '') return null;
  // In the address people are called as in the API.
  const label = name === 'actor' ? 'by' : name;
  return (
    <Chip pressed aria-label={`${label} ${value}: take this filter away`} onClick={onRemove}>
      {label} {value} <Glyph name="close" size={10} />
    </Chip>
  );
}
