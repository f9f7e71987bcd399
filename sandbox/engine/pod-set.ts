/**
 * The next moves of a set of pods: which to create, to delete, and to update. A set wants a number of pods, or one pod
 * at each of its places, such as ordinals or nodes. An update is complete when as many pods as it may reach are updated;
 * each call gives the moves that are possible now, and the next change of a pod makes the next ones possible.
 */

/** A pod as its set counts it. */
export interface Member<Pod> {
  readonly pod: Pod;
  /** The name of its place; empty in a set that wants a number. */
  readonly place: string;
  /** It has the update revision. */
  readonly isUpdated: boolean;
  readonly isReady: boolean;
  /** Ready for long enough. */
  readonly isAvailable: boolean;
  /** It is being deleted, and holds its place until it is gone. */
  readonly isTerminating: boolean;
  /** Its phase is Succeeded or Failed. */
  readonly hasEnded: boolean;
  /** A person wants this one deleted. */
  readonly isNamed: boolean;
}

interface Policy {
  /** How many pods an update may add, before it deletes others. */
  readonly surge: number;
  readonly unavailable: number;
  /** Nothing is updated: the update is paused, or left to the deletions of people. */
  readonly isHeld: boolean;
}

export interface NumberPolicy extends Policy {
  readonly replicas: number;
  /** How many pods keep their revision. */
  readonly kept: number;
}

export interface PlacePolicy extends Policy {
  /** In the order in which missing pods are created. */
  readonly places: readonly string[];
  /** Those whose pods are to be updated, in this order. */
  readonly turn: readonly string[];
  /** Each pod waits for the pods before it. */
  readonly isOrdered: boolean;
}

export interface NewPod {
  readonly place: string;
  /** With the update revision; else with the one that pods keep. */
  readonly isUpdated: boolean;
}

export interface Moves<Pod> {
  readonly create: readonly NewPod[];
  readonly remove: readonly Pod[];
  /** In place, or by deletion. */
  readonly update: readonly Pod[];
}

const NOTHING = { create: [], remove: [], update: [] };

/** It scales, or else replaces named pods, or else updates. Members in the order in which they are deleted. */
export function moveByNumber<Pod>(policy: NumberPolicy, members: readonly Member<Pod>[]): Moves<Pod> {
  const { replicas, kept } = policy;
  const outdated = members.filter(({ isUpdated }) => !isUpdated);
  const updated = members.length - outdated.length;
  const due = Math.max(0, Math.min(outdated.length - kept, replicas - kept - updated));
  const surge = policy.isHeld ? 0 : Math.min(policy.surge, due);
  const missing = replicas + surge - members.length;
  if (missing > 0) {
    const old = Math.min(missing, Math.max(0, kept - outdated.length));
    const create = Array.from({ length: missing }, (_, index) => ({ place: '', isUpdated: index >= old }));
    return { ...NOTHING, create };
  }
  const down = members.filter(({ isAvailable, isNamed }) => !isAvailable && !isNamed).length;
  const spare = policy.unavailable + members.length - replicas - down;
  if (missing < 0) return { ...NOTHING, remove: affordable(findSurplus(members, kept, -missing), spare) };
  const named = members.filter(({ isNamed }) => isNamed);
  if (named.length > 0) {
    const broken = named.filter(({ isReady }) => !isReady).length;
    return { ...NOTHING, remove: affordable(named, spare - broken) };
  }
  if (policy.isHeld) return NOTHING;
  const budget = policy.unavailable + members.length - replicas;
  const failing = members.filter(({ isUpdated, isAvailable }) => isUpdated && !isAvailable).length;
  return { ...NOTHING, update: withinBudget(outdated, { budget, down, failing }).slice(0, due) };
}

/** Named pods first, then outdated ones beyond those that keep their revision, then updated ones. */
function findSurplus<Pod>(members: readonly Member<Pod>[], kept: number, count: number): Member<Pod>[] {
  const named = members.filter(({ isNamed }) => isNamed);
  const others = members.filter(({ isNamed }) => !isNamed);
  const outdated = others.filter(({ isUpdated }) => !isUpdated);
  const updated = others.filter(({ isUpdated }) => isUpdated);
  return [...named, ...outdated.slice(0, Math.max(0, outdated.length - kept)), ...updated].slice(0, count);
}

/** Pods that are not ready may always be deleted, of the others so many. */
function affordable<Pod>(members: readonly Member<Pod>[], spare: number): Pod[] {
  const broken = members.filter(({ isReady }) => !isReady);
  const ready = members.filter(({ isReady }) => isReady).slice(0, Math.max(0, spare));
  return [...broken, ...ready].map(({ pod }) => pod);
}

/** Missing pods are created, surplus ones deleted, outdated ones updated. Members in the order in which they are deleted. */
export function moveByPlace<Pod>(policy: PlacePolicy, members: readonly Member<Pod>[]): Moves<Pod> {
  const { places, isOrdered } = policy;
  const create: NewPod[] = [];
  const remove: Pod[] = [];
  for (const place of places) {
    const here = members.filter((member) => member.place === place);
    if (here.length === 0) create.push({ place, isUpdated: policy.turn.includes(place) });
    for (const { pod, hasEnded, isTerminating } of here) if (hasEnded && !isTerminating) remove.push(pod);
    if (isOrdered && !here.some(isServing)) return { create, remove, update: [] };
  }
  const surplus = members.filter(({ place }) => !places.includes(place));
  const leaving = isOrdered ? surplus.slice(0, 1) : surplus;
  remove.push(...leaving.filter(({ isTerminating }) => !isTerminating).map(({ pod }) => pod));
  if (policy.isHeld || (isOrdered && surplus.length > 0)) return { create, remove, update: [] };
  const moves = policy.surge > 0 ? addAndRemove(policy, members) : updateInTurn(policy, members);
  return { create: [...create, ...moves.create], remove: [...remove, ...moves.remove], update: moves.update };
}

function updateInTurn<Pod>(
  { places, turn, unavailable }: PlacePolicy,
  members: readonly Member<Pod>[],
): Moves<Pod> {
  const serving = new Set(members.filter(isServing).map(({ place }) => place));
  const down = places.filter((place) => !serving.has(place));
  const failing = members.filter(({ isUpdated, place }) => isUpdated && down.includes(place)).length;
  const outdated = turn.flatMap((place) =>
    members.filter((member) => member.place === place && !member.isUpdated && !member.isTerminating),
  );
  const update = withinBudget(outdated, { budget: unavailable, down: down.length, failing });
  return { ...NOTHING, update };
}

/** A place gets its updated pod next to the outdated one, which is deleted once the other is available. */
function addAndRemove<Pod>({ turn, surge }: PlacePolicy, members: readonly Member<Pod>[]): Moves<Pod> {
  const create: NewPod[] = [];
  const remove: Pod[] = [];
  let added = 0;
  for (const place of turn) {
    const here = members.filter((member) => member.place === place && !member.isTerminating);
    const outdated = here.find(({ isUpdated }) => !isUpdated);
    const updated = here.find(({ isUpdated }) => isUpdated);
    if (outdated === undefined) continue;
    if (updated?.isAvailable === true) remove.push(outdated.pod);
    else if (updated !== undefined) added += 1;
    else if (added + create.length < surge) create.push({ place, isUpdated: true });
  }
  return { create, remove, update: [] };
}

function isServing<Pod>({ isAvailable, isTerminating, hasEnded }: Member<Pod>): boolean {
  return isAvailable && !isTerminating && !hasEnded;
}

interface Budget {
  /** How many pods may be unavailable. */
  readonly budget: number;
  /** How many are. */
  readonly down: number;
  /** How many of those are updated. */
  readonly failing: number;
}

/** An outdated pod that is unavailable costs nothing, unless updated ones are no better. */
function withinBudget<Pod>(outdated: readonly Member<Pod>[], { budget, down, failing }: Budget): Pod[] {
  const chosen: Pod[] = [];
  let unavailable = down;
  for (const { pod, isAvailable } of outdated) {
    if (failing + chosen.length >= budget) break;
    if (isAvailable && unavailable >= budget) break;
    if (isAvailable) unavailable += 1;
    chosen.push(pod);
  }
  return chosen;
}
