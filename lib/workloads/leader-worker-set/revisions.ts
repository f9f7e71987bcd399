import type { Activations } from '@/lib/history/activations';
import { assembleHistory, type RevisionIdentity } from '@/lib/history/assemble';
import { causeOfControllerRevision, inheritedByControllerRevisions } from '@/lib/history/change-cause';
import { findDuplicates, isEqualTemplate } from '@/lib/history/template-equality';
import { compareSources, numberOfSource } from '@/lib/history/revision-order';
import { formatRevision, type RevisionHistory } from '@/lib/history/revision';
import type { Activation } from '@/lib/api/revisions';
import type { HistoryInput, WorkloadWithHistory } from '@/lib/workloads/kind';
import { isOldKey, REVISION_KEY } from '@/lib/workloads/leader-worker-set/metadata';
import {
  keyOfStatefulSet,
  keyOfPod,
  type OwnedObjects,
  ownedObjects,
} from '@/lib/workloads/leader-worker-set/objects';
import { numberAt } from '@/lib/kube/read';
import { formatList, formatUtc } from '@/lib/format/text';
import type { RevisionSource, Workload } from '@/lib/history/workload';

/** The objects that carry one key, oldest first: one revision, whose number is that of the last. */
interface RevisionCarriers {
  key: string;
  all: readonly RevisionSource[];
  last: RevisionSource;
}

/** When the first revision is this much younger than the workload, it was not recorded at its start. */
const ADOPTED_AFTER_MS = 60_000;

/** The name holds a hash as well, but pods are matched only by the label. */
export function keyOfSource({ labels, name }: Pick<RevisionSource, 'labels' | 'name'>): string {
  return labels[REVISION_KEY] ?? name;
}

/**
 * The history of a LeaderWorkerSet. A rollback to earlier content creates another object with the same key,
 * so the key identifies a revision.
 * https://github.com/kubernetes-sigs/lws/blob/main/keps/238-controller-revision/README.md
 */
export function readHistory(input: HistoryInput): RevisionHistory {
  const { workload, pods } = input;
  const owned = ownedObjects(input);
  const sources = input.sources
    .filter((source) => source.controllerUid === workload.uid)
    .toSorted(compareSources);
  const carriers = carriersOf(sources);
  const byKey = new Map(carriers.map((entry) => [entry.key, entry]));
  const oldestFirst = carriers.map(({ last }) => last);
  const target = findTarget(workload, owned, byKey, oldestFirst);
  const usedKeys = new Set([...owned.workersOf.values(), ...owned.abandoned].map(keyOfStatefulSet));
  const duplicates = findDuplicates(oldestFirst);
  return assembleHistory({
    oldestFirst,
    orphans: input.orphans.filter((orphan) => orphan.controllerUid === null),
    pods,
    target,
    isCurrent: (source) => source.uid === target?.uid,
    isLiveForController: (source) => source.uid === target?.uid || usedKeys.has(keyOfSource(source)),
    sourceOfPod: (pod) => byKey.get(keyOfPod(pod) ?? '')?.last,
    identityOf: (source) => identityOf(workload, byKey.get(keyOfSource(source)), source),
    causeOf: causeOfControllerRevision,
    inheritedCauses: inheritedByControllerRevisions(oldestFirst),
    activations: activationsOf(workload, sources, byKey, target),
    explain: ({ source, by }) => explain(source, byKey, oldestFirst, duplicates, by ?? 'a rollback'),
    // After the next completed rollout, only its own revision remains.
    prunedNext: new Set(oldestFirst.filter(({ uid }) => uid !== target?.uid).map(({ uid }) => uid)),
    warnings: [],
  });
}

/** Ordered by their last number. */
function carriersOf(oldestFirst: readonly RevisionSource[]): RevisionCarriers[] {
  return [...Map.groupBy(oldestFirst, keyOfSource)]
    .flatMap(([key, all]) => {
      const last = all.findLast(({ fault }) => fault === undefined) ?? all.at(-1);
      return last === undefined ? [] : [{ key, all, last }];
    })
    .sort((a, b) => compareSources(a.last, b.last));
}

/**
 * Of the incarnation and the key: it outlives the objects, so a template that is used again after they are
 * deleted keeps its id.
 */
function identityOf(
  workload: Workload,
  carriers: RevisionCarriers | undefined,
  source: RevisionSource,
): RevisionIdentity {
  const all = carriers?.all ?? [source];
  return {
    id: `${workload.uid}.${keyOfSource(source)}`,
    numbers: all.flatMap((each) => numberOfSource(each) ?? []),
    createdAt: all[0]?.createdAt ?? source.createdAt,
  };
}

/**
 * The StatefulSet of the leaders names the target once the controller has observed the spec, which versions
 * before 0.9 do not report; there the template decides. The controller records templates through its own
 * types, so bytes need not agree.
 */
function findTarget(
  workload: Workload,
  { leaders }: OwnedObjects,
  byKey: ReadonlyMap<string, RevisionCarriers>,
  oldestFirst: readonly RevisionSource[],
): RevisionSource | null {
  const key = leaders === null ? null : keyOfStatefulSet(leaders);
  const named = key === null ? undefined : byKey.get(key)?.last;
  const observed = numberAt(workload.status, 'observedGeneration') ?? 0;
  if (named !== undefined && (observed >= workload.generation || isEqualTemplate(named, workload)))
    return named;
  return oldestFirst.findLast((source) => isEqualTemplate(source, workload)) ?? null;
}

/**
 * Whether the controller has acted on the current spec: it reports this itself from 0.9 on, and before when
 * the StatefulSet of the leaders has the key of the current template.
 */
export function isObserved(input: WorkloadWithHistory): boolean {
  const { workload, history } = input;
  const { status, generation } = workload;
  const observed = numberAt(status, 'observedGeneration');
  if (observed !== undefined) return observed >= generation;
  const { target } = history;
  const { leaders } = ownedObjects(input);
  // Before 0.5 there is no revision to compare the template with.
  if (history.revisions.length === 0) return leaders !== null;
  return target !== null && leaders !== null && keyOfStatefulSet(leaders) === keyOfSource(target.source);
}

/**
 * Every object was created when its template became the target, except one that the controller recorded
 * later.
 */
function activationsOf(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  byKey: ReadonlyMap<string, RevisionCarriers>,
  target: RevisionSource | null,
): Activations {
  const recorded = oldestFirst.filter(({ fault }) => fault === undefined);
  const entries = recorded.flatMap((source, index) => {
    const number = numberOfSource(source);
    if (number === null) return [];
    const next = recorded[index + 1];
    const isOpen = source.uid === target?.uid;
    const isAdopted = wasAdopted(workload, source);
    const isNumberFollowed = next !== undefined && numberOfSource(next) === number + 1;
    const activation: Activation = {
      number,
      from: isAdopted ? null : source.createdAt,
      fromNotBefore: isAdopted ? workload.createdAt : null,
      fromNotAfter: isAdopted ? source.createdAt : null,
      to: isOpen || !isNumberFollowed ? null : next.createdAt,
      open: isOpen,
    };
    const last = byKey.get(keyOfSource(source))?.last ?? source;
    return [{ uid: last.uid, activation }];
  });
  return new Map(
    [...Map.groupBy(entries, ({ uid }) => uid)].map(([uid, owned]) => [
      uid,
      owned.map(({ activation }) => activation),
    ]),
  );
}

/** Recorded when the controller was upgraded, or after all revisions had been deleted. */
function wasAdopted(workload: Workload, source: RevisionSource): boolean {
  if (isOldKey(keyOfSource(source))) return true;
  const lateness = Date.parse(source.createdAt) - Date.parse(workload.createdAt);
  return numberOfSource(source) === 1 && lateness > ADOPTED_AFTER_MS;
}

function explain(
  source: RevisionSource,
  byKey: ReadonlyMap<string, RevisionCarriers>,
  oldestFirst: readonly RevisionSource[],
  duplicates: ReadonlyMap<string, string>,
  by: string,
): string | null {
  const number = numberOfSource(source);
  const owned = byKey.get(keyOfSource(source));
  const former = (owned?.all ?? [])
    .flatMap((each) => numberOfSource(each) ?? [])
    .filter((each) => each !== number);
  if (former.length > 0) {
    return `Same template as revision ${formatList(former.map(String))}, recorded again as ${number ?? source.name} by ${by} on ${formatUtc(source.createdAt)}.`;
  }
  const original = oldestFirst.find(({ uid }) => uid === duplicates.get(source.uid));
  if (original !== undefined) {
    const first = formatRevision({ number: numberOfSource(original), name: original.name });
    return `No effective difference from revision ${first}: another version of the controller wrote the same template differently, so groups were replaced without a change.`;
  }
  return isOldKey(keyOfSource(source))
    ? 'Recorded when the controller was upgraded: versions before 0.5 kept no revisions, so its groups are older than the revision.'
    : null;
}
