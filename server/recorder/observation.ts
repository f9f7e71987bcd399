import 'server-only';
import { FIELD_MANAGER } from '@/lib/kube/managed-fields';
import { isActive } from '@/lib/history/assemble';
import type { Revision } from '@/lib/history/revision';
import type {
  Observation,
  ObservedActivation,
  ObservedPod,
  ObservedProgressiveRollout,
  TemplateWrite,
  Watch,
} from '@/lib/records/observation';
import { isRolloutInProgress } from '@/lib/records/progressive-rollout';
import type { RevisionRef } from '@/lib/api/incarnation';
import type { RolloutEvent } from '@/lib/api/record';
import { ownsPods } from '@/lib/workloads/kind';
import { hasReferencedTemplate } from '@/lib/workloads/desired-template';
import { conditionAt, textAt } from '@/lib/kube/read';
import { CHANGE_CAUSE } from '@/lib/workloads/template-facts';
import { numberersOf } from '@/lib/history/adoption';
import type { Workload } from '@/lib/history/workload';
import type { ClusterCache } from '@/server/cluster/cache';
import { maskedEvent } from '@/server/shared/masked-record';
import type { Keys } from '@/server/shared/keys';
import { lastTemplateWrite, type WorkloadView } from '@/server/views/workload-view';
import { resolveActionTarget, type AuditedAction } from '@/server/recorder/own-actions';
import type { TemplateHashes } from '@/server/recorder/template-hashes';

export interface ObservationInput {
  clusterId: string;
  cache: Pick<ClusterCache, 'eventsOf' | 'workload'>;
  hashes: TemplateHashes;
  keys: Keys;
  view: WorkloadView;
  /** False where the process can't read pods. */
  canReadPods: boolean;
  actions: readonly AuditedAction[];
  watch: Watch;
  /** The rollout that drives the workload; null where there is none. */
  progressiveRollout: ObservedProgressiveRollout | null;
  /** Changes of the ConfigMaps and Secrets that the template names. */
  configChanges: readonly RolloutEvent[];
  /** RFC 3339. */
  at: string;
}

/** The cache's current state of one workload, masked where people will read it. */
export function buildObservation(input: ObservationInput): Observation {
  const { view, hashes, keys, at, watch, actions, configChanges, progressiveRollout } = input;
  const { mask } = keys;
  const { kind, workload, history, status } = view;
  const refOf = (revision: Revision): RevisionRef => ({
    number: revision.number,
    id: revision.id,
    hash: hashes.of(revision.source.bodyId),
  });
  const target = recordedTarget(view);
  const pending = pendingTarget(input);
  const { isPaused, partition, strategy } = kind.settings(workload);
  const known = [
    ...history.revisions.map((revision) => ({ ...refOf(revision), facts: revision.source })),
    ...(pending === null ? [] : [{ ...pending, facts: workload }]),
  ];
  return {
    at,
    watch,
    incarnation: incarnationOf(input),
    revisions: history.revisions.map((revision) => ({
      ...refOf(revision),
      id: revision.id,
      name: revision.name,
      formerNumbers: revision.alsoNumbers,
      usedBefore: revision.reactivated || revision.alsoNumbers.length > 0,
      ...causeOf(input, revision),
      images: mask.images(revision.source.images),
      createdAt: revision.createdAt,
      pods: revision.pods.total,
      ready: revision.pods.ready,
    })),
    activations: [
      ...activationsOf(history.revisions, target, refOf),
      ...(pending === null ? [] : [activationOf(pending, progressiveRollout)]),
    ],
    target: target === null ? pending : refOf(target),
    adopted: adoptedRevisions(history.revisions, refOf),
    orphans: history.orphans.flatMap(({ uid, deletedAt }) => (deletedAt === null ? [uid] : [])),
    templateWrittenAt: templateWrittenAt(input),
    workloadCause: mask.text(workload.annotations[CHANGE_CAUSE] || null),
    progressiveRollout,
    paused: isPaused === true,
    partition: partition?.value ?? null,
    partitionOf: partition?.of,
    partitionPercent: partition?.percent,
    // While the status is not assessed the record does not change.
    state: status.unobserved === true ? 'unknown' : status.state,
    message: mask.text(status.message),
    stateSince: status.since,
    completion: completionOf(input, target),
    strategy,
    desiredPods: status.pods.desired,
    countsPods: input.canReadPods && ownsPods(kind),
    targetPods: targetPodsOf(view, target),
    activePods: view.pods.filter(isActive).map((pod) => {
      const { name, uid } = pod;
      const revision = history.revisionOfPod.get(uid);
      const hash = revision === undefined ? null : hashes.of(revision.source.bodyId);
      const index = kind.groups?.ofPod(pod)?.index;
      return index === undefined ? { name, uid, hash } : { name, uid, hash, group: String(index) };
    }),
    warnings: warningsOf(input, target),
    configChanges: configChanges.map((event) => maskedEvent(event, mask)),
    writes: writesOf(input),
    actions: actions.map((action) => ({
      ...resolveActionTarget(action, known, keys),
      reason: mask.text(action.reason),
    })),
  };
}

/** Numbers go upward, so the highest was the target last. */
function adoptedRevisions(
  revisions: readonly Revision[],
  refOf: (revision: Revision) => RevisionRef,
): RevisionRef[] {
  const before = revisions.flatMap((revision) =>
    revision.numbersBefore.map((number) => ({ ...refOf(revision), number })),
  );
  return before.sort((a, b) => a.number - b.number);
}

/** That of its source object, or of the workload where objects of that kind have none. */
function causeOf(
  { view, keys: { mask } }: ObservationInput,
  { target, changeCause, causeInheritedFrom }: Revision,
): Pick<Observation['revisions'][number], 'changeCause' | 'cause' | 'isCauseLent'> {
  const workloadCause = mask.text(target ? (view.kind.revisions?.targetChangeCause?.(view) ?? null) : null);
  if (workloadCause !== null) return { changeCause: workloadCause, cause: workloadCause, isCauseLent: true };
  const own = mask.text(changeCause);
  return { changeCause: own, cause: causeInheritedFrom === null ? own : null };
}

/**
 * The template of a progressive rollout before anything has recorded it: for a Deployment with a canary workload, that
 * is only at the end.
 */
function pendingTarget({ view, hashes, progressiveRollout: rollout }: ObservationInput): RevisionRef | null {
  const { workload, history } = view;
  if (history.target !== null || !isRolloutInProgress(rollout) || hasReferencedTemplate(view)) return null;
  return { number: null, id: null, hash: hashes.of(workload.bodyId) };
}

function activationOf(revision: RevisionRef, rollout: ObservedProgressiveRollout | null): ObservedActivation {
  const fromNotAfter = rollout?.hash === revision.hash ? rollout.run.startedAt : null;
  return { revision, from: null, fromNotBefore: null, fromNotAfter };
}

/**
 * The pods of the target, except those of surge groups, which the controller removes at the end of the rollout: while it
 * does, they are no groups any more.
 */
function targetPodsOf(view: WorkloadView, target: Revision | null): ObservedPod[] {
  const { kind, history, pods } = view;
  const groups = new Map(kind.groups?.read(view).items.map((group) => [group.index, group]));
  return pods.flatMap((pod): ObservedPod[] => {
    if (!isActive(pod) || target === null || history.revisionOfPod.get(pod.uid)?.id !== target.id) return [];
    const index = kind.groups?.ofPod(pod)?.index;
    const group = index === undefined ? undefined : groups.get(index);
    if (index !== undefined && group?.surge !== false) return [];
    const { name, uid, ip, node, readyAt, restarts } = pod;
    const updatedAt = kind.pods.revisionAppliedAt?.(pod, target) ?? null;
    const createdAt = updatedAt ?? arrivedAt(pod.createdAt, target);
    return [
      {
        ...{ name, uid, ip, node, readyAt, restarts, createdAt },
        ...(updatedAt !== null && { isInPlace: true as const }),
        ...(group && { group: { key: String(group.index), size: group.size } }),
      },
    ];
  });
}

/**
 * A pod older than the record of its revision was updated in place, unless the record is of an earlier activation: then
 * it may have run that all the while.
 */
function arrivedAt(createdAt: string, target: Revision): string {
  return target.reactivated || createdAt >= target.createdAt ? createdAt : target.createdAt;
}

function incarnationOf({
  clusterId,
  view: { kind, workload },
  keys,
}: ObservationInput): Observation['incarnation'] {
  return {
    cluster: clusterId,
    resource: workload.resource,
    kind: kind.resource.kind,
    namespace: workload.namespace,
    name: workload.name,
    uid: workload.uid,
    createdAt: workload.createdAt,
    deletedAt: null,
    labels: keys.mask.annotations(workload.labels),
  };
}

/**
 * A revision that becomes the target again has its old number until the controller has processed the template. Only
 * then is it the target.
 */
function recordedTarget({ kind, history: { revisions, target } }: WorkloadView): Revision | null {
  if (target?.number == null || kind.revisions?.keepsNumbers === true) return target;
  const highest = Math.max(...revisions.map(({ number }) => number ?? -Infinity));
  return target.number < highest ? null : target;
}

function activationsOf(
  revisions: readonly Revision[],
  target: Revision | null,
  refOf: (revision: Revision) => RevisionRef,
): ObservedActivation[] {
  const entries = revisions.flatMap((revision) =>
    activationsHere(revision).map(({ number, from, fromNotBefore, fromNotAfter, open }) => ({
      isTarget: revision === target && number === target.number,
      // Where numbers are kept, a revision that becomes the target again may have any.
      isOpen: target !== null && open,
      observed: { revision: { ...refOf(revision), number }, from, fromNotBefore, fromNotAfter },
    })),
  );
  entries.sort(
    (a, b) =>
      Number(a.isOpen) - Number(b.isOpen) ||
      a.observed.revision.number - b.observed.revision.number ||
      Number(a.isTarget) - Number(b.isTarget),
  );
  const known: ObservedActivation[] = entries.map(({ observed }) => observed);
  if (target === null || entries.at(-1)?.isTarget === true) return known;
  const isOlder = target.reactivated || target.numbersBefore.length > 0;
  const unproven = {
    revision: refOf(target),
    from: isOlder ? null : target.createdAt,
    fromNotBefore: isOlder ? target.createdAt : null,
    fromNotAfter: null,
  };
  return [...known, unproven];
}

/** What it had before the workload adopted it is of an earlier incarnation. */
function activationsHere({ activations, numbersBefore }: Revision): Revision['activations'] {
  return activations.filter(({ number }) => !numbersBefore.includes(number));
}

/**
 * Every desired pod runs the target and is available, or the cluster reported so once. Pods are watched apart from
 * their workload, which may count some that the cache does not have yet: they belong to the rollout, too. Once its
 * system reports the rollout to the target as completed, earlier pods only wait until they are scaled down.
 */
function completionOf(
  { view, canReadPods, hashes, progressiveRollout: rollout }: ObservationInput,
  target: Revision | null,
): Observation['completion'] {
  const { kind, status, history, pods, workload } = view;
  if (target === null || status.state === 'unknown') return null;
  const provenAt = endOfRollout(workload);
  if (status.state === 'degraded') return provenAt === null ? null : { provenAt };
  if (status.state !== 'complete' && status.state !== 'paused') return null;
  const { desired, updated, available } = status.pods;
  const isPromoted = rollout?.state === 'completed' && rollout.hash === hashes.of(target.source.bodyId);
  const hasOtherPods =
    !isPromoted &&
    (history.revisions.some((revision) => revision.id !== target.id && revision.pods.total > 0) ||
      pods.some((pod) => isActive(pod) && !history.revisionOfPod.has(pod.uid)));
  const observed = pods.filter(
    (pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id === target.id,
  );
  const hasUnobservedPods = canReadPods && observed.length < kind.settings(workload).desiredPods;
  return updated < desired || available < desired || hasOtherPods || hasUnobservedPods ? null : { provenAt };
}

/**
 * When the controller of a Deployment found the rollout complete.
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#complete-deployment
 */
function endOfRollout({ status }: Workload): string | null {
  const progressing = conditionAt(status, 'Progressing');
  if (progressing?.reason !== 'NewReplicaSetAvailable') return null;
  return textAt(progressing, 'lastUpdateTime') ?? null;
}

/**
 * Who may have changed the template. The manager that numbers the revisions is the controller, which only copies the
 * template, and completes it.
 */
function writesOf({ cache, keys, view }: ObservationInput): TemplateWrite[] {
  // Another client may have numbered those that the workload adopted.
  const own = view.history.revisions.filter(({ numbersBefore }) => numbersBefore.length === 0);
  const numberingManagers = new Set(own.flatMap(({ source }) => numberersOf(source)));
  return (templateHolder(cache, view)?.writes ?? []).flatMap(({ template, manager, time }) =>
    template && time !== null && !numberingManagers.has(manager)
      ? [{ manager: keys.mask.text(manager), time, isShiplog: manager === FIELD_MANAGER }]
      : [],
  );
}

/** The workload whose spec has the template. */
function templateHolder(
  cache: ObservationInput['cache'],
  { kind, workload }: WorkloadView,
): Workload | undefined {
  const owner = kind.template?.owner?.(workload) ?? null;
  return owner === null ? workload : cache.workload(owner.resource.id, owner.namespace, owner.name);
}

function templateWrittenAt({ cache, view }: ObservationInput): string | null {
  const holder = templateHolder(cache, view);
  return (holder && lastTemplateWrite(holder)?.time) ?? null;
}

function warningsOf(
  { cache, view, keys }: ObservationInput,
  target: Revision | null,
): Observation['warnings'] {
  const { workload, pods, history } = view;
  const targetPods = pods.filter(
    (pod) => target !== null && history.revisionOfPod.get(pod.uid)?.id === target.id,
  );
  const uids = [
    workload.uid,
    ...(target === null ? [] : [target.source.uid]),
    ...targetPods.map(({ uid }) => uid),
  ];
  return uids.flatMap((uid) =>
    cache.eventsOf(uid).flatMap(({ type, reason, message, count, first, last, object }) => {
      const at = last ?? first;
      if (type !== 'Warning' || at === null) return [];
      const about = `${object.kind} ${object.name}`;
      return [maskedEvent({ at, reason, message, object: about, count }, keys.mask)];
    }),
  );
}
