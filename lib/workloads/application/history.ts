import { activationsOfApplication } from '@/lib/workloads/application/activations';
import {
  APPLICATION_REVISION,
  REVISION_HASH,
  applicationRevisionResource,
} from '@/lib/workloads/application/resource';
import { latestNameOf } from '@/lib/workloads/application/marks';
import { revisionLimitOf } from '@/lib/workloads/application/spec';
import { assembleHistory, type Identity } from '@/lib/history/assemble';
import { causeOfControllerRevision } from '@/lib/history/cause';
import { compareSources, numberOfSource } from '@/lib/history/order';
import { type History, type Revision } from '@/lib/history/revision';
import { type HistoryInput } from '@/lib/workloads/kind';
import { type PodSummary } from '@/lib/workloads/pod';
import { type RevisionSource, type Workload } from '@/lib/workloads/workload';

/**
 * The history of an Application: its ApplicationRevisions. Which of them is asked for only the status tells, since an old
 * one keeps its number when it is used again; and one name may get another content, which is another revision then.
 */
export function readHistory({ workload, sources, pods, parts = [] }: HistoryInput): History {
  const oldestFirst = sources
    .filter(
      ({ resource, controllerUid }) =>
        resource === applicationRevisionResource.id && controllerUid === workload.uid,
    )
    .toSorted(compareSources);
  const byName = new Map(oldestFirst.map((source) => [source.name, source]));
  const target = byName.get(latestNameOf(workload) ?? '') ?? null;
  const applied = parts.map(({ labels }) => byName.get(markOf(labels) ?? ''));
  const counted = new Set([target, ...applied].flatMap((source) => source?.uid ?? []));
  return assembleHistory({
    oldestFirst,
    orphans: [],
    pods,
    target,
    isCurrent: ({ uid }) => uid === target?.uid,
    isCounted: ({ uid }) => counted.has(uid),
    identityOf,
    duplicates: sameContent(oldestFirst),
    sourceOfPod: podReader(byName, applied, target),
    causeOf: causeOfControllerRevision,
    inheritedCauses: new Map(),
    activations: activationsOfApplication(workload, oldestFirst, target),
    explain: (source) => explain(source, oldestFirst, target),
    prunedNext: forecast(workload, oldestFirst),
    warnings: warningsOf(workload, oldestFirst, target),
  });
}

/** The newest by number beside the present one. */
export function previousRevision({ revisions }: History): Revision | null {
  return revisions.find(({ target, number }) => !target && number !== null) ?? null;
}

/** The same object with another hash holds another content. */
function identityOf({ uid, labels, number, createdAt }: RevisionSource): Identity {
  const hash = Object.hasOwn(labels, REVISION_HASH) ? labels[REVISION_HASH] : undefined;
  return {
    id: hash === undefined || hash === '' ? uid : `${uid}.${hash}`,
    numbers: number.kind === 'number' ? [number.value] : [],
    createdAt,
  };
}

/** The controller counts contents as equal by their hash, and so nobody need look into them. */
function sameContent(oldestFirst: readonly RevisionSource[]): Map<string, string> {
  const first = new Map<string, string>();
  const duplicates = new Map<string, string>();
  for (const { uid, labels } of oldestFirst) {
    const hash = Object.hasOwn(labels, REVISION_HASH) ? labels[REVISION_HASH] : undefined;
    if (hash === undefined || hash === '') continue;
    const original = first.get(hash);
    if (original === undefined) first.set(hash, uid);
    else duplicates.set(uid, original);
  }
  return duplicates;
}

/** A pod may say itself for which revision it was made; else it is the one that all workloads were written for last. */
function podReader(
  byName: ReadonlyMap<string, RevisionSource>,
  applied: readonly (RevisionSource | undefined)[],
  target: RevisionSource | null,
): (pod: PodSummary) => RevisionSource | undefined {
  const [first, ...others] = new Set(applied);
  const common = others.length === 0 ? first : undefined;
  return ({ marks = {} }) => byName.get(markOf(marks) ?? '') ?? common ?? target ?? undefined;
}

function markOf(marks: Readonly<Record<string, string>>): string | undefined {
  return Object.hasOwn(marks, APPLICATION_REVISION) ? marks[APPLICATION_REVISION] : undefined;
}

function explain(
  source: RevisionSource,
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): string | null {
  const newest = oldestFirst.at(-1);
  if (source.uid !== target?.uid || newest === undefined || newest.uid === source.uid) return null;
  return `KubeVela went back to it: ${newest.name} was made later, but is not asked for any more. The next new content gets the number ${String((numberOfSource(source) ?? 0) + 1)}, even where there is one of that number.`;
}

/** Once one more is made, so many old ones stay as its policy says. Without a policy it is the controller's own matter. */
function forecast(workload: Workload, oldestFirst: readonly RevisionSource[]): Set<string> {
  const limit = revisionLimitOf(workload);
  if (limit === null) return new Set();
  const kept = oldestFirst.filter(({ deletedAt }) => deletedAt === null);
  return new Set(kept.slice(0, Math.max(0, kept.length - limit)).map(({ uid }) => uid));
}

function warningsOf(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): string[] {
  const latest = latestNameOf(workload);
  const isLost = latest !== undefined && latest !== '' && target === null;
  return [
    ...(isLost ? [`KubeVela is at ${latest}, of which there is no ApplicationRevision.`] : []),
    ...(revisionLimitOf(workload) === null && oldestFirst.length > KEPT_BY_CHART
      ? [
          `How many old revisions are kept is up to KubeVela: ${KEPT_BY_CHART} where it was installed by its Helm chart, 10 otherwise. What is older may go with the next change; Shiplog’s archive keeps what it has seen.`,
        ]
      : []),
  ];
}

/** `applicationRevisionLimit` of the chart since 1.7; one more is in use. */
const KEPT_BY_CHART = 2;
