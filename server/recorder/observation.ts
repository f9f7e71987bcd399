import 'server-only';
import { isActive } from '@/lib/history/assemble';
import { type Revision } from '@/lib/history/revision';
import {
  type Observation,
  type ObservedActivation,
  type ObservedPod,
  type ObservedRelease,
  type TemplateWrite,
  type Watch,
} from '@/lib/ledger/observation';
import { isUnderWay } from '@/lib/ledger/release';
import { type RevisionRef, type RolloutEvent, type WorkloadLife } from '@/lib/ledger/record';
import { isHeldElsewhere } from '@/lib/workloads/asked-template';
import { conditionAt, textAt } from '@/lib/workloads/read';
import { CHANGE_CAUSE } from '@/lib/workloads/summarise';
import { type Workload } from '@/lib/workloads/workload';
import { FIELD_MANAGER } from '@/server/actions/write';
import { type ClusterCache } from '@/server/cluster/cache';
import { type Keys } from '@/server/keys';
import { maskAnnotations, maskText } from '@/server/mask';
import { type WorkloadView } from '@/server/reads/view';
import { asCarried, type AuditedAction } from '@/server/recorder/own-actions';
import { type TemplateHashes } from '@/server/recorder/template-hashes';

export interface Sight {
  clusterId: string;
  cache: Pick<ClusterCache, 'eventsOf' | 'workload'>;
  hashes: TemplateHashes;
  keys: Keys;
  view: WorkloadView;
  /** False where pods may not be read. */
  seesPods: boolean;
  actions: readonly AuditedAction[];
  watch: Watch;
  /** What steps the workload; null where nothing does. */
  release: ObservedRelease | null;
  /** Changes of what the template names. */
  related: readonly RolloutEvent[];
  /** RFC 3339. */
  at: string;
}

/** What the cache says of one workload now, masked where people will read it. */
export function observationOf(sight: Sight): Observation {
  const { view, hashes, keys, at, watch, actions, related, release } = sight;
  const { kind, workload, history, status } = view;
  const refOf = (revision: Revision): RevisionRef => ({
    number: revision.number,
    id: revision.id,
    hash: hashes.of(revision.source.bodyId),
  });
  const target =
    kind.keepsNumbers === true ? history.target : recordedTarget(history.revisions, history.target);
  const pending = pendingTarget(sight);
  const borne = workload.annotations[CHANGE_CAUSE] || null;
  const partition = kind.partition(workload);
  const known = [...history.revisions.map(refOf), ...(pending === null ? [] : [pending])];
  return {
    at,
    watch,
    life: lifeOf(sight),
    revisions: history.revisions.map((revision) => ({
      ...refOf(revision),
      id: revision.id,
      name: revision.name,
      formerNumbers: revision.alsoNumbers,
      usedBefore: revision.reactivated || revision.alsoNumbers.length > 0,
      ...causeOf(sight, revision),
      images: revision.source.images.map(({ container, image }) => ({ container, image })),
      createdAt: revision.createdAt,
      pods: revision.pods.total,
      ready: revision.pods.ready,
    })),
    activations: [
      ...activationsOf(history.revisions, target, refOf),
      ...(pending === null ? [] : [activationOf(pending, release)]),
    ],
    target: target === null ? pending : refOf(target),
    borneCause: { raw: borne, text: borne === null ? null : maskText(borne, keys) },
    release,
    paused: kind.isPaused(workload),
    partition: partition?.value ?? null,
    ...(partition?.of && { partitionOf: partition.of }),
    // While nothing is judged the record goes neither on nor off.
    state: status.unobserved === true ? 'unknown' : status.state,
    message: maskText(status.message, keys),
    stateSince: status.since,
    completion: completionOf(sight, target),
    strategy: kind.strategy(workload),
    desiredPods: status.pods.desired,
    targetPods: targetPodsOf(view, target),
    activePods: view.pods.filter(isActive).map(({ name, uid }) => {
      const revision = history.revisionOfPod.get(uid);
      return { name, uid, hash: revision === undefined ? null : hashes.of(revision.source.bodyId) };
    }),
    warnings: warningsOf(sight, target),
    related: related.map((event) => ({ ...event, message: maskText(event.message, keys) })),
    writes: writesOf(sight),
    actions: actions.map((action) => ({
      ...asCarried(action, known, keys),
      reason: maskText(action.reason, keys),
    })),
  };
}

/** That of its source object, or of the workload where objects of that kind carry none. */
function causeOf(
  { view, keys }: Sight,
  { target, changeCause: own, causeInheritedFrom }: Revision,
): Pick<Observation['revisions'][number], 'changeCause' | 'cause' | 'isCauseLent'> {
  const lent = target ? (view.kind.targetCause?.(view) ?? null) : null;
  if (lent !== null) return { changeCause: lent, cause: maskText(lent, keys), isCauseLent: true };
  const cause = own === null || causeInheritedFrom !== null ? null : maskText(own, keys);
  return { changeCause: own, cause };
}

/**
 * What a release brings before anything has recorded it: of a Deployment with a canary beside it, that is only at the end.
 */
function pendingTarget({ view, hashes, release }: Sight): RevisionRef | null {
  const { workload, history } = view;
  if (history.target !== null || !isUnderWay(release) || isHeldElsewhere(view)) return null;
  return { number: null, id: null, hash: hashes.of(workload.bodyId) };
}

function activationOf(revision: RevisionRef, release: ObservedRelease | null): ObservedActivation {
  const fromNotAfter = release?.hash === revision.hash ? release.release.startedAt : null;
  return { revision, from: null, fromNotBefore: null, fromNotAfter };
}

/** The pods of the target; those of a group that is given back when the rollout is over belong to none of its steps. */
function targetPodsOf(view: WorkloadView, target: Revision | null): ObservedPod[] {
  const { kind, history, pods } = view;
  const groups = new Map(kind.groups?.(view).items.map((group) => [group.index, group]));
  return pods.flatMap((pod): ObservedPod[] => {
    if (!isActive(pod) || target === null || history.revisionOfPod.get(pod.uid)?.id !== target.id) return [];
    const index = kind.groupOfPod?.(pod)?.index;
    const group = index === undefined ? undefined : groups.get(index);
    if (group?.surge === true) return [];
    const { name, uid, ip, node, readyAt, restarts } = pod;
    const updatedAt = kind.arrivedAt?.(pod, target) ?? null;
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
 * A pod that is older than the record of what it runs was given that later, unless the record is of an earlier use: then it
 * may have run that all the while.
 */
function arrivedAt(createdAt: string, target: Revision): string {
  return target.reactivated || createdAt >= target.createdAt ? createdAt : target.createdAt;
}

function lifeOf({ clusterId, view: { kind, workload }, keys }: Sight): WorkloadLife {
  return {
    cluster: clusterId,
    resource: workload.resource,
    kind: kind.resource.kind,
    namespace: workload.namespace,
    name: workload.name,
    uid: workload.uid,
    createdAt: workload.createdAt,
    deletedAt: null,
    labels: maskAnnotations(workload.labels, keys),
  };
}

/**
 * A revision that is asked for again still has its old number for a moment, until the controller has seen the template.
 * Only then is it the target.
 */
function recordedTarget(revisions: readonly Revision[], target: Revision | null): Revision | null {
  if (target?.number == null) return target;
  const highest = Math.max(...revisions.map(({ number }) => number ?? -Infinity));
  return target.number < highest ? null : target;
}

function activationsOf(
  revisions: readonly Revision[],
  target: Revision | null,
  refOf: (revision: Revision) => RevisionRef,
): ObservedActivation[] {
  const entries = revisions.flatMap((revision) =>
    revision.activations.map(({ number, from, fromNotBefore, fromNotAfter, open }) => ({
      isTarget: revision === target && number === target.number,
      // Where numbers are kept, what is asked for again may have any.
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
  const unproven = {
    revision: refOf(target),
    from: target.reactivated ? null : target.createdAt,
    fromNotBefore: target.reactivated ? target.createdAt : null,
    fromNotAfter: null,
  };
  return [...known, unproven];
}

/**
 * Every desired pod runs the target and is available, or the cluster says that it was so once. Pods are watched apart from
 * their workload, which may count some that have yet to be seen: they belong to the rollout, too.
 */
function completionOf({ view, seesPods }: Sight, target: Revision | null): Observation['completion'] {
  const { kind, status, history, pods, workload } = view;
  if (target === null || status.state === 'unknown') return null;
  const provenAt = endOfRollout(workload);
  if (status.state === 'degraded') return provenAt === null ? null : { provenAt };
  if (status.state !== 'complete' && status.state !== 'paused') return null;
  const { desired, updated, available } = status.pods;
  const isElsewhere =
    history.revisions.some((revision) => revision.id !== target.id && revision.pods.total > 0) ||
    pods.some((pod) => isActive(pod) && !history.revisionOfPod.has(pod.uid));
  const isUnseen = seesPods && target.pods.total < kind.desiredPods(workload);
  return updated < desired || available < desired || isElsewhere || isUnseen ? null : { provenAt };
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

/** By who may have changed the template. Who numbers the revisions is its controller, which only copies it, and completes it. */
function writesOf({ cache, view: { kind, workload, history } }: Sight): TemplateWrite[] {
  const holder = kind.templateHolder?.(workload) ?? null;
  const held = holder === null ? workload : cache.workload(holder.resource.id, holder.namespace, holder.name);
  const numbering = new Set(
    history.revisions.flatMap(({ source }) =>
      source.writes.flatMap(({ revision, manager }) => (revision ? [manager] : [])),
    ),
  );
  return (held?.writes ?? []).flatMap(({ template, manager, time }) =>
    template && time !== null && !numbering.has(manager)
      ? [{ manager, time, ours: manager === FIELD_MANAGER }]
      : [],
  );
}

function warningsOf({ cache, view, keys }: Sight, target: Revision | null): RolloutEvent[] {
  const { workload, pods, history } = view;
  const mine = pods.filter((pod) => target !== null && history.revisionOfPod.get(pod.uid)?.id === target.id);
  const uids = [workload.uid, ...(target === null ? [] : [target.source.uid]), ...mine.map(({ uid }) => uid)];
  return uids.flatMap((uid) =>
    cache.eventsOf(uid).flatMap(({ type, reason, message, count, first, last, object }) => {
      const at = last ?? first;
      if (type !== 'Warning' || at === null) return [];
      const about = `${object.kind} ${object.name}`;
      return [{ at, reason, message: maskText(message, keys), object: about, count }];
    }),
  );
}
