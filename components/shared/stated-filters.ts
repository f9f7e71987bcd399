/** The query of the API, without empty values. */
export function statedFilters<Address extends { [Name in keyof Address]: string | null }>(
  address: Address,
): { [Name in keyof Address]?: NonNullable<Address[Name]> } {
  const stated = Object.entries<string | null>(address).flatMap(([name, value]) =>
    value === null || value.trim() === '' ? [] : [[name, value.trim()] as const],
  );
  return Object.fromEntries(stated) as { [Name in keyof Address]?: NonNullable<Address[Name]> };
}

export function hasFilters<Address extends { [Name in keyof Address]: string | null }>(
  address: Address,
): boolean {
  return Object.keys(statedFilters(address)).length > 0;
}
