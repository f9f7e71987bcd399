/** Rows by stream of a kind of situations, as rows by input. */
export function rowsOfStreams(
  streams: Readonly<Record<string, readonly number[]>>,
): Readonly<Record<string, number>> {
  return Object.fromEntries(
    Object.entries(streams).flatMap(([kind, counts]) =>
      counts.map((count, index) => [`${kind} ${index}`, count] as const),
    ),
  );
}
