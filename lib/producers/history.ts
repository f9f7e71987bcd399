import { activationsOfControllerRevisions, type Activations } from '@/lib/history/activations';
import { assembleHistory } from '@/lib/history/assemble';
import { causeOfControllerRevision, inheritedByControllerRevisions } from '@/lib/history/cause';
import { explainControllerRevision } from '@/lib/history/explanation';
import { compareSources } from '@/lib/history/order';
import { type History } from '@/lib/history/revision';
import { finderOf } from '@/lib/producers/identifiers';
import { producerOf } from '@/lib/producers/producers';
import { revisionValues } from '@/lib/producers/revision-marks';
import { isStoredObject, ownerOf } from '@/lib/producers/stored-object';
import { guessTarget } from '@/lib/producers/target';
import { type HistoryInput } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/workloads/pod';
import { type RevisionSource } from '@/lib/workloads/workload';

/**
 * The history of an owner of which nothing is known but its ControllerRevisions. `sources` are those of its group (see
 * `groupKeyOf`), in no particular order. The number of an object may repeat, stay the same for all, or be written anew,
 * so each object is a revision of its own, and its uid is what it is known by.
 */
export function readOwnerHistory({ workload, sources, orphans, pods, parts = [] }: HistoryInput): History {
  const inOrder = sources.toSorted(compareSources);
  const { revisions = [], stored = [] } = Object.groupBy(inOrder, (source) =>
    isStoredObject(source) ? 'stored' : 'revisions',
  );
  const find = finderOf(revisions);
  const { target, current, isAssumed } = guessTarget(workload, revisions, find);
  const named = isAssumed ? [] : [target?.uid, current?.uid];
  const made = parts.flatMap(({ labels }) => revisionValues(labels).flatMap((value) => find(value) ?? []));
  const counted = new Set([...named, ...made.map(({ uid }) => uid)]);
  const sourceOfPod = (pod: PodSummary) => newestOf(valuesOf(pod), find);
  const isMatched = made.length > 0 || pods.some((pod) => sourceOfPod(pod) !== undefined);
  const counts = countsUp(revisions);
  const history = assembleHistory({
    oldestFirst: revisions,
    orphans,
    pods,
    target,
    isCurrent: ({ uid }) => uid === current?.uid,
    isCounted: ({ uid }) => counted.has(uid),
    sourceOfPod,
    causeOf: causeOfControllerRevision,
    inheritedCauses: inheritedByControllerRevisions(revisions),
    activations: counts ? activationsOfControllerRevisions(revisions, target) : NOT_KNOWN,
    explain: (...args) => (counts ? explainControllerRevision(...args) : null),
    prunedNext: new Set(),
    warnings: [],
  });
  return {
    ...history,
    // What is odd elsewhere is usual here, and the page says what the numbers mean.
    warnings: [],
    ...(isAssumed && { targetAssumed: true }),
    ...(!isMatched && { livenessUnknown: true }),
    ...(stored.length > 0 && { stored: stored.reverse() }),
  };
}

/** Numbers that say nothing of time prove no activation. */
const NOT_KNOWN: Activations = new Map();

function countsUp(revisions: readonly RevisionSource[]): boolean {
  const [first] = revisions;
  const numbering = first === undefined ? undefined : producerOf(ownerOf(first))?.numbering;
  return numbering === 'counted' || numbering === 'renumbered';
}

function valuesOf({ revisionLabel, marks = {}, revisionMarks = [] }: PodSummary): string[] {
  const own = revisionLabel === null ? [] : [revisionLabel];
  return [...own, ...revisionMarks, ...Object.values(marks)];
}

function newestOf(
  values: readonly string[],
  find: (called: string) => RevisionSource | undefined,
): RevisionSource | undefined {
  return values.map(find).find((source) => source !== undefined);
}
