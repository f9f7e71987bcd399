/** A revision with the periods in which it was the target, as far as they are known, oldest first. */
export interface RevisionActivations {
  id: string;
  /** `index` is the archive's; absent or null where only the cluster proves the activation. */
  activations: readonly { number: number; index?: number | null }[];
}

/** The revision to compare with. */
export interface Predecessor {
  id: string;
  /** It was the target just before. False: the previous target is unknown, and this is the nearest known one. */
  ran: boolean;
}

/**
 * For each revision the target before its last activation: what its rollout changed is compared with that,
 * and not with its neighbor by number, which a rollback may have renumbered. `recordedFrom` has the ids in
 * the records, by the archive's index of the activation.
 */
export function findPredecessors(
  newestFirst: readonly RevisionActivations[],
  recordedFrom?: ReadonlyMap<number, string>,
): Map<string, Predecessor> {
  const predecessorOf = predecessorFinder(newestFirst, recordedFrom);
  return new Map(
    newestFirst.flatMap(({ id, activations }, at) => {
      const found = predecessorOf(id, activations.at(-1)) ?? neighborOf(newestFirst[at + 1]);
      return found === null ? [] : [[id, found]];
    }),
  );
}

/** The same for each activation but the last one, in their order; null where the target before is not known. */
export function findEarlierPredecessors(
  newestFirst: readonly RevisionActivations[],
  recordedFrom?: ReadonlyMap<number, string>,
): Map<string, readonly (Predecessor | null)[]> {
  const predecessorOf = predecessorFinder(newestFirst, recordedFrom);
  return new Map(
    newestFirst.map(({ id, activations }) => [
      id,
      activations.slice(0, -1).map((activation) => predecessorOf(id, activation)),
    ]),
  );
}

function neighborOf(older: RevisionActivations | undefined): Predecessor | null {
  return older === undefined ? null : { id: older.id, ran: false };
}

type PredecessorFinder = (
  id: string,
  activation: RevisionActivations['activations'][number] | undefined,
) => Predecessor | null;

function predecessorFinder(
  newestFirst: readonly RevisionActivations[],
  recordedFrom: ReadonlyMap<number, string> = new Map(),
): PredecessorFinder {
  const activated = newestFirst.flatMap(({ id, activations }) =>
    activations.map(({ number, index }) => ({ id, number, index })),
  );
  const idByIndex = new Map(activated.map((place) => [place.index, place.id]));
  const byNumber = Map.groupBy(activated, ({ number }) => number);
  const numbers = [...byNumber.keys()].sort((a, b) => b - a);
  return (id, activation) => {
    const index = activation?.index ?? null;
    const recorded = index === null ? undefined : (recordedFrom.get(index) ?? idByIndex.get(index - 1));
    if (recorded !== undefined && recorded !== id) return { id: recorded, ran: true };
    return activation === undefined ? null : findByNumber(id, activation.number);
  };

  /**
   * Numbers are assigned in order, so the next lower one was the target before, unless no revision is known
   * for it.
   */
  function findByNumber(id: string, number: number): Predecessor | null {
    let next = number - 1;
    for (const lower of numbers) {
      if (lower >= number) continue;
      const candidates = (byNumber.get(lower) ?? []).filter((place) => place.id !== id);
      const [first] = candidates;
      if (first !== undefined) return { id: first.id, ran: lower === next && candidates.length === 1 };
      if (lower === next) next -= 1;
    }
    return null;
  }
}
