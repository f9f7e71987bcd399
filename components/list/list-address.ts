import { useCallback, useMemo } from 'react';
import { useStickyClusterFilter } from '@/components/shared/cluster-filter';
import { useQueryStates, type UseQueryStatesKeysMap, type Values } from 'nuqs';

/** Values of an address by name; null sets one back to what it is without the name. */
export type AddressChange<Address> = { [Name in keyof Address]?: Address[Name] | null };

export type ChangeAddress<Address> = (change: AddressChange<Address>, step?: 'typing') => void;

/** The filters that an address states, trimmed: the query of the API. */
export type StatedFilters<Address> = { [Name in keyof Address]?: NonNullable<Address[Name]> };

export interface ListAddress<Address> {
  address: Address;
  /** What is typed replaces the address; anything else can be gone back from. */
  change: ChangeAddress<Address>;
  stated: StatedFilters<Address>;
  /** By the values that are stated, or by clusters. */
  isFiltered: boolean;
  clear: () => void;
}

/** The state of a list as stored in the address of its page. `others` are values that filter nothing. */
export function useListAddress<Parsers extends UseQueryStatesKeysMap>(
  parsers: Parsers,
  others: readonly (keyof Parsers & string)[] = noNames,
): ListAddress<Values<Parsers>> {
  const [address, setAddress] = useQueryStates(parsers);
  const change = useCallback(
    (values: AddressChange<Values<Parsers>>, step?: 'typing') =>
      void setAddress(values, { history: step === 'typing' ? 'replace' : 'push' }),
    [setAddress],
  );
  const stated = useMemo(() => statedFilters(parsers, address, others), [parsers, address, others]);
  const [place, choosePlace] = useStickyClusterFilter();
  const isPlaced = Object.keys(place).length > 0;
  const clear = useCallback(() => {
    if (isPlaced) choosePlace({});
    const names = Object.keys(parsers).filter((name) => !others.includes(name));
    change(Object.fromEntries(names.map((name) => [name, null])) as AddressChange<Values<Parsers>>);
  }, [parsers, others, change, isPlaced, choosePlace]);
  return { address, change, stated, isFiltered: isPlaced || Object.keys(stated).length > 0, clear };
}

const noNames: readonly never[] = [];

function statedFilters<Parsers extends UseQueryStatesKeysMap>(
  parsers: Parsers,
  address: Values<Parsers>,
  others: readonly string[],
): StatedFilters<Values<Parsers>> {
  const stated = Object.entries<unknown>(address).flatMap(([name, value]) => {
    const isStated = value !== null && value !== parsers[name]?.defaultValue && !others.includes(name);
    const trimmed = typeof value === 'string' ? value.trim() : value;
    return isStated && trimmed !== '' ? [[name, trimmed] as const] : [];
  });
  return Object.fromEntries(stated) as StatedFilters<Values<Parsers>>;
}
