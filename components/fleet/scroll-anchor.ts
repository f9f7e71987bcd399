import { type FleetListRow } from '@/components/fleet/fleet-view';

/**
 * How far to scroll so that visible rows do not move when rows are added, removed or reordered. `scrolledPx` is the
 * height of the old rows above the visible area. 0 where nothing is above it, or where none of the rows just below
 * its edge remains.
 */
export function anchorShiftPx(
  before: readonly FleetListRow[],
  after: readonly FleetListRow[],
  scrolledPx: number,
  heightOf: (row: FleetListRow) => number,
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
    if (place >= scrolledPx && (tried += 1) > ROWS_TRIED_MAX) return 0;
    place += heightOf(row);
  }
  return 0;
}

/** About one screen of rows. */
const ROWS_TRIED_MAX = 40;
