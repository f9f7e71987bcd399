/**
 * The placeholder of a list while other filters load: the previous rows, unless there were none. "Nothing matches" is
 * said of the present filters alone.
 */
export function keepPreviousRows<List extends { pages: readonly { items: readonly unknown[] }[] }>(
  previous: List | undefined,
): List | undefined {
  return previous?.pages.some(({ items }) => items.length > 0) === true ? previous : undefined;
}
