import { isActive } from '@/lib/history/assemble';
import {
  blockedSince,
  blockersOf,
  type TimeInput,
  describeStarting,
  describeReasonInFull,
  describeReason,
} from '@/lib/workloads/blockers';
import type { Group, Groups } from '@/lib/workloads/groups';
import type { StatusInput } from '@/lib/workloads/kind';
import { groupsOf, targetKeyOf } from '@/lib/workloads/leader-worker-set/groups';
import { groupOfPod, keyOfPod, ownedObjects } from '@/lib/workloads/leader-worker-set/objects';
import { recreationsOf } from '@/lib/workloads/leader-worker-set/recreations';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { isObserved } from '@/lib/workloads/leader-worker-set/revisions';
import { sizeOf } from '@/lib/workloads/leader-worker-set/spec';
import type { PodSummary } from '@/lib/history/pod';
import { numberAt } from '@/lib/kube/read';
import type { WorkloadStatus } from '@/lib/workloads/status';
import {
  allReadySince,
  joinSentences,
  stateWithoutBlockers,
  describeServing,
  type DerivedState,
} from '@/lib/workloads/derived-state';
import { deletedState, unobservedState } from '@/lib/workloads/common-states';
import { capitalize, formatAll, formatCount, formatList } from '@/lib/format/text';
import { formatRevision, formatRevisions } from '@/lib/history/revision';

interface StatusContext extends StatusInput, TimeInput {
  groups: Groups;
  /** Of the desired groups, without surge. */
  desiredPods: number;
}

/** The status of a LeaderWorkerSet, counted in groups; pods appear only as numbers. */
export function leaderWorkerSetStatus(input: StatusInput & TimeInput): WorkloadStatus {
  const groups = groupsOf(input);
  // Only the leader of a surplus group is deleted; its workers follow.
  const active = input.pods.filter((pod) => isActive(pod) && (groupOfPod(pod) ?? 0) < groups.items.length);
  const own = groups.items.filter(({ surge }) => !surge);
  const missing = Math.max(0, groups.desired - own.length) * sizeOf(input.workload);
  const desired = own.reduce((sum, { size }) => sum + size, missing);
  const ready = active.filter((pod) => pod.ready).length;
  const key = targetKeyOf(input);
  const updated = active.filter((pod) => key !== null && keyOfPod(pod) === key).length;
  const { kind, group } = leaderWorkerSets;
  return {
    ...deriveState({ ...input, groups, desiredPods: desired }),
    pods: { desired, ready, updated, available: ready },
    kubectl: {
      text: `error: no status viewer has been implemented for ${kind}.${group}`,
      verdict: 'error',
    },
  };
}

function deriveState(context: StatusContext): DerivedState {
  const { workload, groups, pods } = context;
  if (workload.deletedAt !== null) return deletedState(workload);
  if (!isObserved(context)) return unobservedState(workload, context.now);
  if (groups.desired === 0)
    return stateWithoutBlockers('complete', 'scaled to 0', `${workload.name} is scaled to 0.`, null);
  if (pods.length === 0 && (numberAt(ownedObjects(context).leaders?.status, 'replicas') ?? 0) > 0) {
    const message = 'its pods cannot be listed';
    return stateWithoutBlockers(
      'unknown',
      message,
      `${capitalize(message)}, so the state of its groups is unknown.`,
      null,
    );
  }
  return (
    disagreeing(context) ??
    completeOrHeld(context) ??
    recreating(context) ??
    stuck(context) ??
    inProgress(context)
  );
}

/** Leader and workers of one group on different revisions: nothing repairs that by itself. */
function disagreeing(context: StatusContext): DerivedState | null {
  const { groups, history, pods, now } = context;
  const inconsistent = groups.items.filter(({ state }) => state === 'disagrees');
  if (inconsistent.length === 0) return null;
  const message = `leader and workers of ${formatGroups(inconsistent)} run different revisions`;
  return {
    state: 'degraded',
    message,
    sentence: `${capitalize(message)}. The controller does not repair this: restart ${inconsistent.length === 1 ? 'the group' : 'the groups'}.`,
    since: null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/**
 * Every group that the partition releases is updated and ready, and all others are ready. Surge groups stay
 * while the partition holds more groups than that: the controller counts them among the unready ones.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go
 * (calculateLWSUnreadyReplicas)
 */
function completeOrHeld(context: StatusContext): DerivedState | null {
  const { groups, history, pods, desiredPods } = context;
  const { items, desired, wanted, updated, ready } = groups;
  const own = items.filter(({ surge }) => !surge);
  const areAllReady = own.length === desired && own.every((group) => group.ready);
  if (!areAllReady || updated < wanted || ready < wanted) return null;
  if (own.some((group) => group.held && !group.updated)) return held(context);
  if (items.length > desired) return null;
  const on = formatTarget(context);
  const size = items[0]?.size ?? 1;
  const sentence =
    desired === 1
      ? `The only group of ${formatCount(size, 'pod')} runs ${on} and is ready.`
      : `${formatAll(desired, 'group')} of ${formatCount(size, 'pod')} run ${on} and are ready.`;
  const since = history.target === null ? null : allReadySince(pods, desiredPods);
  return stateWithoutBlockers(
    'complete',
    `${desired} of ${formatCount(desired, 'group')} ready`,
    sentence,
    since,
  );
}

function held(context: StatusContext): DerivedState {
  const { items, desired, wanted, partition } = context.groups;
  const on = formatTarget(context);
  const heldGroups = items.filter((group) => group.held && !group.updated);
  const surgeGroups = items.filter(({ surge }) => surge);
  const stay = `${formatGroupsOrCount(heldGroups)} ${staysOrStay(heldGroups)} on ${formatRevisions(heldGroups.map(({ revision }) => revision ?? undefined))}`;
  const head =
    wanted === 0
      ? `Partition ${partition} holds all ${formatCount(desired, 'group')}, and all are ready: ${stay}.`
      : `${wanted} of ${formatCount(desired, 'group')} ${wanted === 1 ? 'runs' : 'run'} ${on} and all are ready; partition ${partition} holds the rest: ${stay}.`;
  return {
    state: 'held',
    message: `partition ${partition}: ${stay}`,
    sentence:
      surgeGroups.length === 0
        ? head
        : `${head} Surge ${formatGroups(surgeGroups)} ${staysOrStay(surgeGroups)} until the partition moves.`,
    since: null,
    blockers: [],
  };
}

function staysOrStay(list: readonly unknown[]): string {
  return list.length === 1 ? 'stays' : 'stay';
}

/**
 * A group that is recreated repeatedly: its pods are missing, starting or blocked from one second to the
 * next, so their current state does not matter.
 */
function recreating(context: StatusContext): DerivedState | null {
  const { history, groups, pods, desiredPods, now } = context;
  const loops = recreationsOf(context, groups.items);
  if (loops.length === 0) return null;
  const where = formatGroups(loops.map(({ group }) => group));
  const counts = loops.map(({ times }) => times);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const often = least === most ? `${most} times` : `${least} to ${most} times`;
  const failing = [...new Set(loops.flatMap((loop) => loop.pods))];
  const fails = `${formatList(failing)} ${failing.length === 1 ? 'fails' : 'fail'}`;
  const others = groups.items.filter((group) => !loops.some((loop) => loop.group === group));
  const isOver = others.every(({ updated, held, surge }) => updated || held || surge);
  const serves = isOver && others.some(({ ready }) => ready);
  return {
    state: serves ? 'degraded' : 'stuck',
    message: `${where} recreated ${often}; ${fails}`,
    sentence: joinSentences(
      `${capitalize(where)} ${loops.length === 1 ? 'was' : 'were'} recreated ${often} on ${formatTarget(context)}: ${fails}, and the restart policy recreates the whole group each time.`,
      describeServing(history, desiredPods),
    ),
    since: loops.flatMap(({ since }) => since ?? []).sort()[0] ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/** Pods of the target are blocked, and none of the others can still become ready. */
function stuck(context: StatusContext): DerivedState | null {
  const { history, pods, groups, now } = context;
  const targetPods = pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
  const blockers = blockersOf(history, targetPods, { proven: true, now });
  if (blockers.length === 0 || describeStarting(targetPods, now) !== null) return null;
  const affectedGroups = groups.items.filter(({ leader, workers }) =>
    [leader, ...workers].some((pod) => blockers.some(({ podUid }) => podUid === pod?.uid)),
  );
  const where =
    affectedGroups.length === 0 ? formatList(blockers.map(({ pod }) => pod)) : formatGroups(affectedGroups);
  const reason = describeReason(blockers);
  const since = blockedSince(blockers);
  const { ready, wanted, desired } = groups;
  if (groups.updated >= wanted && groups.ready > 0) {
    return {
      state: 'degraded',
      message: `${ready} of ${formatCount(wanted, 'group')} ready; ${where}: ${reason}`,
      sentence: `The update completed, but only ${ready} of ${formatCount(desired, 'group')} are ready: ${where}, ${describeReasonInFull(blockers)}.`,
      since,
      blockers,
    };
  }
  return {
    state: 'stuck',
    message: `${where}: ${reason}`,
    sentence: joinSentences(
      `${capitalize(where)} cannot become ready on ${formatTarget(context)}: ${describeReasonInFull(blockers)}.`,
      describeServing(history, context.desiredPods),
    ),
    since,
    blockers,
  };
}

function inProgress(context: StatusContext): DerivedState {
  const { history, groups, pods, now } = context;
  const { items, desired, wanted, updated } = groups;
  const on = formatTarget(context);
  const outdated = updated < wanted;
  const readyNow = items.filter((group) => group.ready && !group.surge).length;
  const head = outdated
    ? `${updated} of ${formatCount(wanted, 'group')} updated`
    : `${readyNow} of ${formatCount(desired, 'group')} ready`;
  const waiting = describeWaiting(items, pods, now);
  const surgeGroups = items.filter(({ surge }) => surge).length;
  return {
    state: 'rolling',
    message: waiting === null ? head : `${head}; ${waiting}`,
    sentence: joinSentences(
      `${updated} of ${formatCount(wanted, 'group')} updated to ${on}, ${readyNow} of ${desired} are ready${surgeGroups === 0 ? '' : `, with ${formatCount(surgeGroups, 'group')} temporarily added`}.`,
      describeServing(history, context.desiredPods),
    ),
    since: history.target?.activations.at(-1)?.from ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/** "group 3 is being rebuilt", "groups 2 and 3 are starting"; null while no group is starting. */
function describeWaiting(items: readonly Group[], pods: readonly PodSummary[], now?: string): string | null {
  const withoutRevision = items.filter(({ unknownRevision }) => unknownRevision);
  if (withoutRevision.length > 0)
    return `${formatGroups(withoutRevision)} ${isOrAre(withoutRevision)} on an unknown revision whose object was deleted`;
  const rebuilding = items.filter(({ state }) => state === 'rebuilding');
  if (rebuilding.length > 0) return `${formatGroups(rebuilding)} ${isOrAre(rebuilding)} being rebuilt`;
  const starting = items.filter(({ state }) => state === 'starting');
  if (starting.length > 0) return `${formatGroups(starting)} ${isOrAre(starting)} starting`;
  return describeStarting(pods, now);
}

function isOrAre(list: readonly unknown[]): string {
  return list.length === 1 ? 'is' : 'are';
}

/** "group 3", "groups 2 and 3", "groups 0, 1 and 6 more". */
function formatGroups(groups: readonly Group[]): string {
  return `group${groups.length === 1 ? '' : 's'} ${formatList(groups.map(({ index }) => String(index)))}`;
}

/** The same, by their number where there are many. */
function formatGroupsOrCount(groups: readonly Group[]): string {
  return groups.length > 3 ? formatCount(groups.length, 'group') : formatGroups(groups);
}

function formatTarget({ history }: StatusContext): string {
  return history.target === null ? 'the current template' : `revision ${formatRevision(history.target)}`;
}
