/** A revision with the periods in which it was the target, as far as they are known, oldest first. */
export interface Bearer {
  id: string;
  /** `index` is the archive's; absent or null where only the cluster proves the activation. */
  activations: readonly { number: number; index?: number | null }[];
}

/** The revision that one is compared with. */
export interface Predecessor {
  id: string;
  /** It was the target just before. False: what was is not known, and this is the nearest one that is. */
  ran: boolean;
}

/**
 * For each revision the one that was the target before it became so last: what its rollout changed is told against that,
 * and not against its neighbor by number, which a rollback may have moved away. `recordedFrom` has the ids that the
 * records name, by the archive's index of the activation.
 */
export function findPredecessors(
  newestFirst: readonly Bearer[],
  recordedFrom: ReadonlyMap<number, string> = new Map(),
): Map<string, Predecessor> {
  const places = newestFirst.flatMap(({ id, activations }) =>
    activations.map(({ number, index }) => ({ id, number, index })),
  );
  const ofIndex = new Map(places.map((place) => [place.index, place.id]));
  const ofNumber = Map.groupBy(places, ({ number }) => number);
  const numbers = [...ofNumber.keys()].sort((a, b) => b - a);
  const found = new Map<string, Predecessor>();
  newestFirst.forEach(({ id, activations }, at) => {
    const last = activations.at(-1);
    const index = last?.index ?? null;
    const recorded = index === null ? undefined : (recordedFrom.get(index) ?? ofIndex.get(index - 1));
    const before =
      recorded !== undefined && recorded !== id
        ? { id: recorded, ran: true }
        : ((last && byNumber(id, last.number)) ?? neighbor(at));
    if (before !== null) found.set(id, before);
  });
  return found;

  /** Numbers are given in turn, so the next lower one was the target before, unless it is known of no revision. */
  function byNumber(id: string, number: number): Predecessor | null {
    let next = number - 1;
    for (const lower of numbers) {
      if (lower >= number) continue;
      const bearers = (ofNumber.get(lower) ?? []).filter((place) => place.id !== id);
      const [first] = bearers;
      if (first !== undefined) return { id: first.id, ran: lower === next && bearers.length === 1 };
      if (lower === next) next -= 1;
    }
    return null;
  }

  function neighbor(at: number): Predecessor | null {
    const older = newestFirst[at + 1];
    return older === undefined ? null : { id: older.id, ran: false };
  }
}
