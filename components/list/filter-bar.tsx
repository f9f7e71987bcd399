'use client';

import type { AddressChange, ListAddress } from '@/components/list/list-address';
import type { FilterBarProps, FilterChip } from '@/components/list/filters';
import { Chip, ChipRow, ClearFilters } from '@/components/ui/chip';
import { useListedFirst } from '@/components/shared/listed-first';
import { Choice, type ChoiceOption, type ChoiceProps } from '@/components/ui/choice';
import type { FirstKind } from '@/lib/api/preference-values';
import { Glyph } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';

/** The bar above a list: chips, menus and the reset, after its search. */
export function FilterBar<Address extends object, Facts>({
  filters: { chips = [], menus = [], exact = [] },
  list,
  facts,
  search,
  end,
  children,
}: FilterBarProps<Address, Facts> & {
  /** The field for `q`. */
  search?: React.ReactNode;
}) {
  const { address, change } = list;
  const values = address as Record<string, unknown>;
  return (
    <div
      role="search"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:flex-nowrap max-desk:items-stretch"
    >
      {search !== undefined && <div className="desk:w-[268px] desk:flex-none">{search}</div>}
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
        {menus.map(({ name, options, isOpen, first, ...menu }) => {
          const isOnChip = chips.some((chip) => name in chip.set && isPressed(chip, values));
          const value = isOnChip ? null : ((values[name] as string | null) ?? null);
          const known =
            typeof options !== 'function' ? options : facts === undefined ? [] : options(facts, value);
          const choice = {
            ...menu,
            value,
            options: isOpen === true ? withOther(known, value) : known,
            onChange: (chosen: string | null) => change({ [name]: chosen } as AddressChange<Address>),
          };
          return first === undefined ? (
            <Choice key={name} {...choice} />
          ) : (
            <OwnFirstChoice key={name} kind={first} {...choice} />
          );
        })}
        {children}
        <ExactChips names={exact} list={list} />
      </ChipRow>
      {end}
    </div>
  );
}

/** With the options that the viewer wants first above the others. */
function OwnFirstChoice({ kind, options, ...choice }: ChoiceProps & { kind: FirstKind }) {
  const { isFirst, entryOf } = useListedFirst(kind);
  const own = options.filter(({ value }) => isFirst(value));
  const { value } = choice;
  return (
    <Choice
      {...choice}
      options={[...new Set([...own, ...options])]}
      separateAfter={own.length}
      more={value === null ? [] : [entryOf(value)]}
    />
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

/** The filters that only links set, as chips that remove them, and the reset of all. */
function ExactChips<Address extends object>({
  names,
  list: { address, change, isFiltered, clear },
}: {
  names: readonly (keyof Address & string)[];
  list: ListAddress<Address>;
}) {
  return (
    <>
      {names.map((name) => {
        const value = address[name];
        if (typeof value !== 'string' || value === '') return null;
        // In the address people are called as in the API.
        const label = name === 'actor' ? 'by' : name;
        return (
          <Chip
            key={name}
            pressed
            aria-label={`${label} ${value}: remove this filter`}
            onClick={() => change({ [name]: null } as AddressChange<Address>)}
          >
            {label} <MiddleEllipsis text={value} className="max-w-[20em]!" /> <Glyph name="close" size={10} />
          </Chip>
        );
      })}
      {isFiltered && <ClearFilters onClear={clear} />}
    </>
  );
}
