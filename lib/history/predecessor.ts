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
  recordedFrom: ReadonlyMap<number, string> = new Map(),
): Map<string, Predecessor> {
  const activated = newestFirst.flatMap(({ id, activations }) =>
    activations.map(({ number, index }) => ({ id, number, index })),
  );
  const idByIndex = new Map(activated.map((place) => [place.index, place.id]));
  const byNumber = Map.groupBy(activated, ({ number }) => number);
  const numbers = [...byNumber.keys()].sort((a, b) => b - a);
  const found = new Map<string, Predecessor>();
  newestFirst.forEach(({ id, activations }, at) => {
    const last = activations.at(-1);
    const index = last?.index ?? null;
    const recorded = index === null ? undefined : (recordedFrom.get(index) ?? idByIndex.get(index - 1));
    const predecessor =
      recorded !== undefined && recorded !== id
        ? { id: recorded, ran: true }
        : ((last && findByNumber(id, last.number)) ?? findNeighbor(at));
    if (predecessor !== null) found.set(id, predecessor);
  });
  return found;

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

  function findNeighbor(at: number): Predecessor | null {
    const older = newestFirst[at + 1];
    return older === undefined ? null : { id: older.id, ran: false };
  }
}
