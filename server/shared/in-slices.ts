import type { Sliced } from '@/lib/kube/slices';
import { TurnBudget } from '@/server/shared/turn-budget';

/**
 * Shared by all such work, so that many tasks at once block a turn of the event loop no longer than one does.
 */
const pieces = new TurnBudget(1);

/** Does the work in slices, each in a turn of the event loop of its own. A single slice is done at once. */
export async function inSlices<Result>(work: Sliced<Result>): Promise<Result> {
  for (let piece = work.next(); ; piece = work.next()) {
    if (piece.done === true) return piece.value;
    await pieces.acquire();
  }
}
