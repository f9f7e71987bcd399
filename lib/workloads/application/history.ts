import {
  APPLICATION_REVISION,
  REVISION_HASH,
  applicationRevisionResource,
} from '@/lib/workloads/application/resource';
import { latestRevisionNameOf, publishVersionOf } from '@/lib/workloads/application/revision-names';
import { revisionLimitOf } from '@/lib/workloads/application/spec';
import { assembleHistory, type RevisionIdentity } from '@/lib/history/assemble';
import { causeOfControllerRevision } from '@/lib/history/change-cause';
import { compareSources, numberOfSource, compareCreation, compareTimes } from '@/lib/history/revision-order';
import type { RevisionHistory, Revision } from '@/lib/history/revision';
import type { HistoryInput } from '@/lib/workloads/kind';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionSource, Workload } from '@/lib/history/workload';
import type { Activations } from '@/lib/history/activations';
import type { Activation } from '@/lib/api/revisions';
import { textAt } from '@/lib/kube/read';

/**
 * The history of an Application: its ApplicationRevisions. Only the status names the target, since an old
 * revision keeps its number when it becomes the target again; and one name can get another content, which is
 * another revision.
 */
export function readHistory({ workload, sources, pods, children = [] }: HistoryInput): RevisionHistory {
  const oldestFirst = sources
    .filter(
      ({ resource, controllerUid }) =>
        resource === applicationRevisionResource.id && controllerUid === workload.uid,
    )
    .toSorted(compareSources);
  const byName = new Map(oldestFirst.map((source) => [source.name, source]));
  const target = byName.get(latestRevisionNameOf(workload) ?? '') ?? null;
  const applied = children.map(({ labels }) => byName.get(revisionNameIn(labels) ?? ''));
  const counted = new Set([target, ...applied].flatMap((source) => source?.uid ?? []));
  return assembleHistory({
    oldestFirst,
    orphans: [],
    pods,
    target,
    isCurrent: ({ uid }) => uid === target?.uid,
    isLiveForController: ({ uid }) => counted.has(uid),
    identityOf,
    duplicates: findDuplicates(oldestFirst),
    sourceOfPod: revisionOfPodFinder(byName, applied, target),
    causeOf: causeOfControllerRevision,
    inheritedCauses: new Map(),
    activations: activationsOfApplication(workload, oldestFirst, target),
    explain: ({ source }) => explain(source, oldestFirst, target),
    prunedNext: findPrunedNext(workload, oldestFirst),
    warnings: warningsOf(workload, oldestFirst, target),
  });
}

/** The newest by number other than the current one. */
export function previousRevision({ revisions }: RevisionHistory): Revision | null {
  return revisions.find(({ target, number }) => !target && number !== null) ?? null;
}

/** The same object with another hash holds another content. */
function identityOf({ uid, labels, number, createdAt }: RevisionSource): RevisionIdentity {
  const hash = textAt(labels, REVISION_HASH);
  return {
    id: hash === undefined || hash === '' ? uid : `${uid}.${hash}`,
    numbers: number.kind === 'number' ? [number.value] : [],
    createdAt,
  };
}

/** The controller compares contents by their hash, so Shiplog need not read them. */
function findDuplicates(oldestFirst: readonly RevisionSource[]): Map<string, string> {
  const first = new Map<string, string>();
  const duplicates = new Map<string, string>();
  for (const { uid, labels } of oldestFirst) {
    const hash = textAt(labels, REVISION_HASH);
    if (hash === undefined || hash === '') continue;
    const original = first.get(hash);
    if (original === undefined) first.set(hash, uid);
    else duplicates.set(uid, original);
  }
  return duplicates;
}

/**
 * A pod can name the revision that it was created for; otherwise it is the one that all workloads were last
 * written for.
 */
function revisionOfPodFinder(
  byName: ReadonlyMap<string, RevisionSource>,
  applied: readonly (RevisionSource | undefined)[],
  target: RevisionSource | null,
): (pod: PodSummary) => RevisionSource | undefined {
  const [first, ...others] = new Set(applied);
  const common = others.length === 0 ? first : undefined;
  return ({ metadataValues: metadata = {} }) =>
    byName.get(revisionNameIn(metadata) ?? '') ?? common ?? target ?? undefined;
}

function revisionNameIn(metadata: Readonly<Record<string, string>>): string | undefined {
  return textAt(metadata, APPLICATION_REVISION);
}

function explain(
  source: RevisionSource,
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): string | null {
  const newest = oldestFirst.at(-1);
  if (source.uid !== target?.uid || newest === undefined || newest.uid === source.uid) return null;
  return `KubeVela reused this revision: ${newest.name} is newer but no longer the target. The next change gets the number ${String((numberOfSource(source) ?? 0) + 1)}, even if that number exists.`;
}

/**
 * After the next revision, as many old ones remain as the Application's policy says. Without a policy the
 * controller decides.
 */
function findPrunedNext(workload: Workload, oldestFirst: readonly RevisionSource[]): Set<string> {
  const limit = revisionLimitOf(workload);
  if (limit === null) return new Set();
  const retained = oldestFirst.filter(({ deletedAt }) => deletedAt === null);
  return new Set(retained.slice(0, Math.max(0, retained.length - limit)).map(({ uid }) => uid));
}

function warningsOf(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): string[] {
  const latest = latestRevisionNameOf(workload);
  const isTargetMissing = latest !== undefined && latest !== '' && target === null;
  return [
    ...(isTargetMissing ? [`KubeVela reports ${latest}, but that ApplicationRevision does not exist.`] : []),
    ...(revisionLimitOf(workload) === null && oldestFirst.length > RETAINED_BY_CHART
      ? [
          `KubeVela decides how many old revisions it retains: ${RETAINED_BY_CHART} when installed by its Helm chart, 10 otherwise. Older ones can be pruned with the next change; Shiplog’s archive keeps those it has observed.`,
        ]
      : []),
  ];
}

/** `applicationRevisionLimit` of the chart since 1.7; one more is in use. */
const RETAINED_BY_CHART = 2;

/**
 * A revision becomes the target when it is created. When it becomes the target again, it keeps its number and
 * its object; only the workflow that ran for it shows when. `oldestFirst` by number.
 */
function activationsOfApplication(
  workload: Workload,
  oldestFirst: readonly RevisionSource[],
  target: RevisionSource | null,
): Activations {
  // A revision that was just created is the target once the status names it, or once its workflow runs.
  const inTime = oldestFirst
    .filter((source) => source.uid === target?.uid || source.run?.state !== 'notStarted')
    .filter((source) => !isAhead(source, workload, target))
    .toSorted(compareCreation);
  const isReused = target !== null && inTime.at(-1)?.uid !== target.uid;
  const reactivation = isReused ? reactivationOf(workload, inTime) : null;
  const activations = new Map<string, Activation[]>();
  inTime.forEach((source, index) => {
    const number = numberOfSource(source);
    if (number === null) return;
    const next = inTime[index + 1];
    const isOpen = source.uid === target?.uid && !isReused;
    const isNumberFollowed = next !== undefined && numberOfSource(next) === number + 1;
    activations.set(source.uid, [
      {
        number,
        from: source.createdAt,
        fromNotBefore: null,
        fromNotAfter: null,
        to: isOpen
          ? null
          : isNumberFollowed
            ? next.createdAt
            : next === undefined
              ? (reactivation?.from ?? null)
              : null,
        open: isOpen,
      },
    ]);
  });
  const number = target === null ? null : numberOfSource(target);
  if (target !== null && number !== null && reactivation !== null) {
    const first = activations.get(target.uid) ?? [];
    activations.set(target.uid, [...first, { number, ...reactivation, to: null, open: true }]);
  }
  return activations;
}

/**
 * Watches of revisions and Applications are separate: a revision created during or after the workflow of the
 * target arrives before the status of its Application names it. After a rollback the workflow would start
 * again.
 */
function isAhead(
  { uid, createdAt }: RevisionSource,
  { status }: Workload,
  target: RevisionSource | null,
): boolean {
  if (target === null || uid === target.uid) return false;
  const ranFor = textAt(status, 'workflow', 'appRevision');
  const started = textAt(status, 'workflow', 'startTime');
  const isOfTarget = ranFor === target.name || (ranFor !== undefined && ranFor === publishVersionOf(target));
  return isOfTarget && started !== undefined && compareTimes(createdAt, started) > 0;
}

/** The current workflow began with the rollback, unless it ran before the newest revision was created. */
function reactivationOf(
  { status }: Workload,
  inTime: readonly RevisionSource[],
): Pick<Activation, 'from' | 'fromNotBefore' | 'fromNotAfter'> {
  const newest = inTime.at(-1)?.createdAt ?? null;
  const started = textAt(status, 'workflow', 'startTime') ?? null;
  const isAfter = started !== null && newest !== null && compareTimes(started, newest) >= 0;
  return isAfter
    ? { from: started, fromNotBefore: null, fromNotAfter: null }
    : { from: null, fromNotBefore: newest, fromNotAfter: null };
}
