import { activationsOfControllerRevisions, type Activations } from '@/lib/history/activations';
import { assembleHistory } from '@/lib/history/assemble';
import { causeOfControllerRevision, inheritedByControllerRevisions } from '@/lib/history/change-cause';
import { explainControllerRevision } from '@/lib/history/explanation';
import { compareSources } from '@/lib/history/revision-order';
import { type RevisionHistory } from '@/lib/history/revision';
import { createFinder } from '@/lib/producers/identifiers';
import { producerOf } from '@/lib/producers/producers';
import { revisionLabelValues } from '@/lib/producers/revision-labels';
import { isStoredObject, ownerOf } from '@/lib/producers/stored-object';
import { guessTarget } from '@/lib/producers/target';
import { type HistoryInput } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/history/pod';
import { type RevisionSource } from '@/lib/history/workload';

/**
 * The history of an owner of which only the ControllerRevisions are known. `sources` are those of its group
 * (see `groupKeyOf`), in no particular order. The number of an object may repeat, stay the same for all, or
 * change, so each object is a revision of its own, identified by its uid.
 */
export function readOwnerHistory({
  workload,
  sources,
  orphans,
  pods,
  children: parts = [],
}: HistoryInput): RevisionHistory {
  const inOrder = sources.toSorted(compareSources);
  const { revisions = [], stored = [] } = Object.groupBy(inOrder, (source) =>
    isStoredObject(source) ? 'stored' : 'revisions',
  );
  const find = createFinder(revisions);
  const { target, current, isAssumed } = guessTarget(workload, revisions, find);
  const named = isAssumed ? [] : [target?.uid, current?.uid];
  const generated = parts.flatMap(({ labels }) =>
    revisionLabelValues(labels).flatMap((value) => find(value) ?? []),
  );
  const counted = new Set([...named, ...generated.map(({ uid }) => uid)]);
  const sourceOfPod = (pod: PodSummary) => firstMatch(revisionNamesOf(pod), find);
  const isMatched = generated.length > 0 || pods.some((pod) => sourceOfPod(pod) !== undefined);
  const provesTime = hasOrderedNumbers(revisions);
  const history = assembleHistory({
    oldestFirst: revisions,
    orphans,
    pods,
    target,
    isCurrent: ({ uid }) => uid === current?.uid,
    isLiveForController: ({ uid }) => counted.has(uid),
    sourceOfPod,
    causeOf: causeOfControllerRevision,
    inheritedCauses: inheritedByControllerRevisions(revisions),
    activations: provesTime ? activationsOfControllerRevisions(revisions, target) : NO_ACTIVATIONS,
    explain: (...args) => (provesTime ? explainControllerRevision(...args) : null),
    prunedNext: new Set(),
    warnings: [],
  });
  return {
    ...history,
    // What needs a warning elsewhere is usual here, and the page explains the numbers.
    warnings: [],
    ...(isAssumed && { targetAssumed: true }),
    ...(!isMatched && { livenessUnknown: true }),
    ...(stored.length > 0 && { stored: stored.reverse() }),
  };
}

/** Numbers that do not follow time prove no activation. */
const NO_ACTIVATIONS: Activations = new Map();

function hasOrderedNumbers(revisions: readonly RevisionSource[]): boolean {
  const [first] = revisions;
  const numbering = first === undefined ? undefined : producerOf(ownerOf(first))?.numbering;
  return numbering === 'counted' || numbering === 'renumbered';
}

function revisionNamesOf({
  revisionLabel,
  metadataValues = {},
  revisionLabelValues = [],
}: PodSummary): string[] {
  const own = revisionLabel === null ? [] : [revisionLabel];
  return [...own, ...revisionLabelValues, ...Object.values(metadataValues)];
}

function firstMatch(
  values: readonly string[],
  find: (identifier: string) => RevisionSource | undefined,
): RevisionSource | undefined {
  return values.map(find).find((source) => source !== undefined);
}
