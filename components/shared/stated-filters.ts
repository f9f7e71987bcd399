/** The query of the API, without empty values. */
export function statedFilters<Name extends string>(
  address: Record<Name, string | null>,
): Partial<Record<Name, string>> {
  const stated = Object.entries<string | null>(address).flatMap(([name, value]) =>
    value === null || value.trim() === '' ? [] : [[name, value.trim()] as const],
  );
  return Object.fromEntries(stated) as Partial<Record<Name, string>>;
}

export function hasFilters<Name extends string>(address: Record<Name, string | null>): boolean {
  return Object.keys(statedFilters(address)).length > 0;
}
