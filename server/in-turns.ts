import { type InPieces } from '@/lib/pieces';
import { TurnBudget } from '@/server/turn-budget';

/** Shared by all such work, so that many at once hold up a turn of the event loop no longer than one does. */
const pieces = new TurnBudget(1);

/** Does the work piece by piece, each in a turn of the event loop of its own. What is one piece is done at once. */
export async function inTurns<Result>(work: InPieces<Result>): Promise<Result> {
  for (let piece = work.next(); ; piece = work.next()) {
    if (piece.done === true) return piece.value;
    await pieces.take();
  }
}
