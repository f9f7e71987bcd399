/**
 * Placeholder of a list of pages while the answer to other filters is on its way: the rows before, unless there were
 * none. "Nothing matches" is said of the present filters alone.
 */
export function keepPreviousRows<List extends { pages: readonly { items: readonly unknown[] }[] }>(
  previous: List | undefined,
): List | undefined {
  return previous?.pages.some(({ items }) => items.length > 0) === true ? previous : undefined;
}
