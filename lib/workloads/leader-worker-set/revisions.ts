import { type Activations } from '@/lib/history/activations';
import { assembleHistory, type Identity } from '@/lib/history/assemble';
import { causeOfControllerRevision, inheritedByControllerRevisions } from '@/lib/history/cause';
import { findDuplicates, sameTemplate } from '@/lib/history/equality';
import { compareSources, numberOfSource } from '@/lib/history/order';
import { type Activation, type History } from '@/lib/history/revision';
import { type HistoryInput, type Standing } from '@/lib/workloads/kind';
import { isOldKey, REVISION_KEY } from '@/lib/workloads/leader-worker-set/marks';
import { keyOfPart, keyOfPod, type OwnObjects, ownObjects } from '@/lib/workloads/leader-worker-set/objects';
import { numberAt } from '@/lib/workloads/read';
import { called, listed, utc } from '@/lib/workloads/words';
import { type RevisionSource, type Workload } from '@/lib/workloads/workload';

/** The objects that carry one key, oldest first: one revision, whose number is that of the last. */
interface Carriers {
  key: string;
  all: readonly RevisionSource[];
  last: RevisionSource;
}

/** Later than this after the workload itself, its first revision was not recorded when it began. */
const ADOPTED_AFTER_MS = 60_000;

/** The name holds a hash as well, but only the label is what pods are matched by. */
export function keyOfSource({ labels, name }: Pick<RevisionSource, 'labels' | 'name'>): string {
  return labels[REVISION_KEY] ?? name;
}

/**
 * The history of a LeaderWorkerSet. A return to earlier content makes another object with the same key, so revisions are
 * told apart by their key.
 * https://github.com/kubernetes-sigs/lws/blob/main/keps/238-controller-revision/README.md
 */
export function readHistory(input: HistoryInput): History {
  const { workload, pods } = input;
  const own = ownObjects(input);
  const sources = input.sources
    .filter((source) => source.controllerUid === workload.uid)
    .toSorted(compareSources);
  const carriers = carriersOf(sources);
  const byKey = new Map(carriers.map((entry) => [entry.key, entry]));
  const oldestFirst = carriers.map(({ last }) => last);
  const target = findTarget(workload, own, byKey, oldestFirst);
  const madeBy = new Set([...own.workersOf.values(), ...own.abandoned].map(keyOfPart));
  const duplicates = findDuplicates(oldestFirst);
  return assembleHistory({
    oldestFirst,
    orphans: input.orphans.filter((orphan) => orphan.controllerUid === null),
    pods,
    target,
    isCurrent: (source) => source.uid === target?.uid,
    isCounted: (source) => source.uid === target?.uid || madeBy.has(keyOfSource(source)),
    sourceOfPod: (pod) => byKey.get(keyOfPod(pod) ?? '')?.last,
    identityOf: (source) => identityOf(workload, byKey.get(keyOfSource(source)), source),
    causeOf: causeOfControllerRevision,
    inheritedCauses: inheritedByControllerRevisions(oldestFirst),
    activations: activationsOf(workload, sources, byKey, target),
    explain: (source) => explain(source, byKey, oldestFirst, duplicates),
    // With the next rollout that is through, nothing but its own revision is left.
    prunedNext: new Set(oldestFirst.filter(({ uid }) => uid !== target?.uid).map(({ uid }) => uid)),
    warnings: [],
  });
}

/** Ordered by their last number. */
function carriersOf(oldestFirst: readonly RevisionSource[]): Carriers[] {
  return [...Map.groupBy(oldestFirst, keyOfSource)]
    .flatMap(([key, all]) => {
      const last = all.findLast(({ fault }) => fault === undefined) ?? all.at(-1);
      return last === undefined ? [] : [{ key, all, last }];
    })
    .sort((a, b) => compareSources(a.last, b.last));
}

/** Of the life and the key: it outlives the objects, and a template that comes back after them is known again. */
function identityOf(workload: Workload, carriers: Carriers | undefined, source: RevisionSource): Identity {
  const all = carriers?.all ?? [source];
  return {
    id: `${workload.uid}.${keyOfSource(source)}`,
    numbers: all.flatMap((each) => numberOfSource(each) ?? []),
    createdAt: all[0]?.createdAt ?? source.createdAt,
  };
}

/**
 * The StatefulSet of the leaders names the target once the controller has seen the spec, which releases before 0.9 do not
 * say; there the template must tell. What the controller records has gone through its own types, so bytes need not agree.
 */
function findTarget(
  workload: Workload,
  { leaders }: OwnObjects,
  byKey: ReadonlyMap<string, Carriers>,
  oldestFirst: readonly RevisionSource[],
): RevisionSource | null {
  const key = leaders === null ? null : keyOfPart(leaders);
  const named = key === null ? undefined : byKey.get(key)?.last;
  const observed = numberAt(workload.status, 'observedGeneration') ?? 0;
  if (named !== undefined && (observed >= workload.generation || sameTemplate(named, workload))) return named;
  return oldestFirst.findLast((source) => sameTemplate(source, workload)) ?? null;
}

/**
 * Whether the controller has acted on the present spec: it says so itself from 0.9 on, and before when the StatefulSet of
 * the leaders bears the key of the present template.
 */
export function isObserved(standing: Standing): boolean {
  const { workload, history } = standing;
  const { status, generation } = workload;
  const observed = numberAt(status, 'observedGeneration');
  if (observed !== undefined) return observed >= generation;
  const { target } = history;
  const { leaders } = ownObjects(standing);
  // Before 0.5 there is nothing to compare the template with.
  if (history.revisions.length === 0) return leaders !== null;
  return target !== null && leaders !== null && keyOfPart(leaders) === keyOfSource(target.source);
}

/** Every object was made when its template became the target, except one that the controller made up for. */
function activationsOf(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  byKey: ReadonlyMap<string, Carriers>,
  target: RevisionSource | null,
): Activations {
  const recorded = oldestFirst.filter(({ fault }) => fault === undefined);
  const entries = recorded.flatMap((source, index) => {
    const number = numberOfSource(source);
    if (number === null) return [];
    const next = recorded[index + 1];
    const isOpen = source.uid === target?.uid;
    const isAdopted = wasAdopted(workload, source);
    const follows = next !== undefined && numberOfSource(next) === number + 1;
    const activation: Activation = {
      number,
      from: isAdopted ? null : source.createdAt,
      fromNotBefore: isAdopted ? workload.createdAt : null,
      fromNotAfter: isAdopted ? source.createdAt : null,
      to: isOpen || !follows ? null : next.createdAt,
      open: isOpen,
    };
    const last = byKey.get(keyOfSource(source))?.last ?? source;
    return [{ uid: last.uid, activation }];
  });
  return new Map(
    [...Map.groupBy(entries, ({ uid }) => uid)].map(([uid, own]) => [
      uid,
      own.map(({ activation }) => activation),
    ]),
  );
}

/** Recorded when the controller was upgraded, or after somebody had deleted all revisions. */
function wasAdopted(workload: Workload, source: RevisionSource): boolean {
  if (isOldKey(keyOfSource(source))) return true;
  const lateness = Date.parse(source.createdAt) - Date.parse(workload.createdAt);
  return numberOfSource(source) === 1 && lateness > ADOPTED_AFTER_MS;
}

function explain(
  source: RevisionSource,
  byKey: ReadonlyMap<string, Carriers>,
  oldestFirst: readonly RevisionSource[],
  duplicates: ReadonlyMap<string, string>,
): string | null {
  const number = numberOfSource(source);
  const own = byKey.get(keyOfSource(source));
  const former = (own?.all ?? [])
    .flatMap((each) => numberOfSource(each) ?? [])
    .filter((each) => each !== number);
  if (former.length > 0) {
    return `It equals revision ${listed(former.map(String))}: a return to that template was recorded once more, as ${number ?? source.name}, on ${utc(source.createdAt)}.`;
  }
  const original = oldestFirst.find(({ uid }) => uid === duplicates.get(source.uid));
  if (original !== undefined) {
    const first = called({ number: numberOfSource(original), name: original.name });
    return `It means the same as revision ${first}: another release of the controller wrote the same template in another way, so groups were replaced although nothing had changed.`;
  }
  return isOldKey(keyOfSource(source))
    ? 'It was recorded when the controller was upgraded: releases before 0.5 kept no revisions, and its groups are older than its record.'
    : null;
}
