import { type FleetRow } from '@/components/fleet/fleet-view';

/**
 * How far the page must scroll so that what is in sight stays in sight when rows come, go or change places:
 * `scrolledPx` is how much of the old rows lies above the edge of what is seen. 0 where nothing is above it, or where
 * none of the rows just below the edge is left.
 */
export function steadyShift(
  before: readonly FleetRow[],
  after: readonly FleetRow[],
  scrolledPx: number,
  heightOf: (row: FleetRow) => number,
): number {
  if (scrolledPx <= 0) return 0;
  const places = new Map<string, number>();
  let place = 0;
  for (const row of after) {
    places.set(row.key, place);
    place += heightOf(row);
  }
  place = 0;
  let tried = 0;
  for (const row of before) {
    const now = row.kind === 'workload' && place >= scrolledPx ? places.get(row.key) : undefined;
    if (now !== undefined) return now - place;
    if (place >= scrolledPx && (tried += 1) > TRIED_MAX) return 0;
    place += heightOf(row);
  }
  return 0;
}

/** About what fits on a screen. */
const TRIED_MAX = 40;
