import { isActive } from '@/lib/history/assemble';
import {
  blockedSince,
  blockersOf,
  type Clocked,
  describeStarting,
  reasonInFull,
  reasonOf,
} from '@/lib/workloads/blockers';
import { type Group, type Groups } from '@/lib/workloads/groups';
import { type StatusInput } from '@/lib/workloads/kind';
import { groupsOf, targetKeyOf } from '@/lib/workloads/leader-worker-set/groups';
import { groupOfPod, keyOfPod, ownObjects } from '@/lib/workloads/leader-worker-set/objects';
import { recreationsOf } from '@/lib/workloads/leader-worker-set/recreations';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { isObserved } from '@/lib/workloads/leader-worker-set/revisions';
import { sizeOf } from '@/lib/workloads/leader-worker-set/spec';
import { type PodSummary } from '@/lib/workloads/pod';
import { numberAt } from '@/lib/workloads/read';
import { type WorkloadStatus } from '@/lib/workloads/status';
import { allReadySince, joined, plain, stillServing, type Verdict } from '@/lib/workloads/status-words';
import { unobserved } from '@/lib/workloads/unobserved';
import { called, capitalised, count, listed } from '@/lib/workloads/words';

interface Sight extends StatusInput, Clocked {
  groups: Groups;
  /** Of the wanted groups, surge left aside. */
  desiredPods: number;
}

/** The status of a LeaderWorkerSet, counted in groups; of pods only their numbers are told. */
export function leaderWorkerSetStatus(input: StatusInput & Clocked): WorkloadStatus {
  const groups = groupsOf(input);
  // Of a group that is one too many only the leader is told to end; its workers follow.
  const active = input.pods.filter((pod) => isActive(pod) && (groupOfPod(pod) ?? 0) < groups.items.length);
  const own = groups.items.filter(({ surge }) => !surge);
  const missing = Math.max(0, groups.desired - own.length) * sizeOf(input.workload);
  const desired = own.reduce((sum, { size }) => sum + size, missing);
  const ready = active.filter((pod) => pod.ready).length;
  const key = targetKeyOf(input);
  const updated = active.filter((pod) => key !== null && keyOfPod(pod) === key).length;
  const { kind, group } = leaderWorkerSets;
  return {
    ...judge({ ...input, groups, desiredPods: desired }),
    pods: { desired, ready, updated, available: ready },
    kubectl: {
      text: `error: no status viewer has been implemented for ${kind}.${group}`,
      verdict: 'error',
    },
  };
}

function judge(sight: Sight): Verdict {
  const { workload, groups, pods } = sight;
  if (workload.deletedAt !== null)
    return plain('unknown', 'being deleted', `${workload.name} is being deleted.`, workload.deletedAt);
  if (!isObserved(sight)) return unobserved(workload, sight.now);
  if (groups.desired === 0)
    return plain('complete', 'scaled to 0', `${workload.name} is scaled to 0; no group runs.`, null);
  if (pods.length === 0 && (numberAt(ownObjects(sight).leaders?.status, 'replicas') ?? 0) > 0) {
    const message = 'its pods cannot be seen';
    return plain('unknown', message, `${capitalised(message)}, so its groups cannot be told.`, null);
  }
  return disagreeing(sight) ?? settled(sight) ?? recreating(sight) ?? stuck(sight) ?? moving(sight);
}

/** Leader and workers of one group on different revisions: nothing will repair that by itself. */
function disagreeing(sight: Sight): Verdict | null {
  const { groups, history, pods, now } = sight;
  const odd = groups.items.filter(({ state }) => state === 'disagrees');
  if (odd.length === 0) return null;
  const message = `leader and workers of ${namesOf(odd)} run different revisions`;
  return {
    state: 'degraded',
    message,
    sentence: `${capitalised(message)}, which a controller of LeaderWorkerSet never does on purpose: restart ${odd.length === 1 ? 'that group' : 'those groups'}.`,
    since: null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/**
 * Every group that the partition lets go is updated and ready, and all others are ready. What surges stays for as long as
 * the partition holds more groups than that: the controller counts them among the unready ones.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go (calculateLWSUnreadyReplicas)
 */
function settled(sight: Sight): Verdict | null {
  const { groups, history, pods, desiredPods } = sight;
  const { items, desired, wanted, updated, ready } = groups;
  const own = items.filter(({ surge }) => !surge);
  const areAllReady = own.length === desired && own.every((group) => group.ready);
  if (!areAllReady || updated < wanted || ready < wanted) return null;
  if (own.some((group) => group.held && !group.updated)) return held(sight);
  if (items.length > desired) return null;
  const on = targetName(sight);
  const size = items[0]?.size ?? 1;
  const sentence =
    desired === 1
      ? `The one group of ${count(size, 'pod')} runs ${on} and is ready.`
      : `All ${desired} groups of ${count(size, 'pod')} run ${on} and are ready.`;
  const since = history.target === null ? null : allReadySince(pods, desiredPods);
  return plain('complete', `${desired} of ${count(desired, 'group')} ready`, sentence, since);
}

function held(sight: Sight): Verdict {
  const { items, desired, wanted, partition } = sight.groups;
  const on = targetName(sight);
  const rest = items.filter((group) => group.held && !group.updated);
  const surplus = items.filter(({ surge }) => surge);
  const stay = `${groupsOfMany(rest)} ${staysOrStay(rest)} on ${revisionsOf(rest)}`;
  const head =
    wanted === 0
      ? `The partition ${partition} holds all ${count(desired, 'group')}, and all are ready: ${stay}.`
      : `${wanted} of ${count(desired, 'group')} ${wanted === 1 ? 'runs' : 'run'} ${on} and all are ready; the partition ${partition} holds the rest: ${stay}.`;
  return {
    state: 'held',
    message: `partition ${partition}: ${stay}`,
    sentence:
      surplus.length === 0
        ? head
        : `${head} Surge ${namesOf(surplus)} ${staysOrStay(surplus)} until the partition moves.`,
    since: null,
    blockers: [],
  };
}

function staysOrStay(some: readonly unknown[]): string {
  return some.length === 1 ? 'stays' : 'stay';
}

/**
 * A group that is recreated again and again: its pods are gone, starting or blocked from one second to the next, so that
 * what they say now does not matter.
 */
function recreating(sight: Sight): Verdict | null {
  const { history, groups, pods, desiredPods, now } = sight;
  const loops = recreationsOf(sight, groups.items);
  if (loops.length === 0) return null;
  const where = namesOf(loops.map(({ group }) => group));
  const counts = loops.map(({ times }) => times);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const often = least === most ? `${most} times` : `${least} to ${most} times`;
  const failing = [...new Set(loops.flatMap((loop) => loop.pods))];
  const fails = `${listed(failing)} ${failing.length === 1 ? 'fails' : 'fail'}`;
  const others = groups.items.filter((group) => !loops.some((loop) => loop.group === group));
  const isOver = others.every(({ updated, held, surge }) => updated || held || surge);
  const serves = isOver && others.some(({ ready }) => ready);
  return {
    state: serves ? 'degraded' : 'stuck',
    message: `${where} recreated ${often}; ${fails}`,
    sentence: joined(
      `${capitalised(where)} ${loops.length === 1 ? 'was' : 'were'} recreated ${often} on ${targetName(sight)}: ${fails}, and the restart policy recreates the whole group each time.`,
      stillServing(history, desiredPods),
    ),
    since: loops.flatMap(({ since }) => since ?? []).sort()[0] ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/** Pods of the target are blocked, and none of the others is on its way. */
function stuck(sight: Sight): Verdict | null {
  const { history, pods, groups, now } = sight;
  const mine = pods.filter((pod) => history.revisionOfPod.get(pod.uid)?.target === true);
  const blockers = blockersOf(history, mine, { proven: true, now });
  if (blockers.length === 0 || describeStarting(mine, now) !== null) return null;
  const concerned = groups.items.filter(({ leader, workers }) =>
    [leader, ...workers].some((pod) => blockers.some(({ podUid }) => podUid === pod?.uid)),
  );
  const where = concerned.length === 0 ? listed(blockers.map(({ pod }) => pod)) : namesOf(concerned);
  const reason = reasonOf(blockers);
  const since = blockedSince(blockers);
  const { ready, wanted, desired } = groups;
  if (groups.updated >= wanted && groups.ready > 0) {
    return {
      state: 'degraded',
      message: `${ready} of ${count(wanted, 'group')} ready; ${where}: ${reason}`,
      sentence: `The update is over, but only ${ready} of ${count(desired, 'group')} are ready: ${where}, ${reasonInFull(blockers)}.`,
      since,
      blockers,
    };
  }
  return {
    state: 'stuck',
    message: `${where}: ${reason}`,
    sentence: joined(
      `${capitalised(where)} cannot become ready on ${targetName(sight)}: ${reasonInFull(blockers)}.`,
      stillServing(history, sight.desiredPods),
    ),
    since,
    blockers,
  };
}

function moving(sight: Sight): Verdict {
  const { history, groups, pods, now } = sight;
  const { items, desired, wanted, updated } = groups;
  const on = targetName(sight);
  const outdated = updated < wanted;
  const readyNow = items.filter((group) => group.ready && !group.surge).length;
  const head = outdated
    ? `${updated} of ${count(wanted, 'group')} updated`
    : `${readyNow} of ${count(desired, 'group')} ready`;
  const waiting = describeWaiting(items, pods, now);
  const surplus = items.filter(({ surge }) => surge).length;
  return {
    state: 'rolling',
    message: waiting === null ? head : `${head}; ${waiting}`,
    sentence: joined(
      `${updated} of ${count(wanted, 'group')} to update ${updated === 1 ? 'runs' : 'run'} ${on}, ${readyNow} of ${desired} are ready${surplus === 0 ? '' : `, with ${count(surplus, 'group')} more for the time being`}.`,
      stillServing(history, sight.desiredPods),
    ),
    since: history.target?.activations.at(-1)?.from ?? null,
    blockers: blockersOf(history, pods, { proven: true, now }),
  };
}

/** "group 3 is being rebuilt", "groups 2 and 3 are starting"; null while nothing is on its way. */
function describeWaiting(items: readonly Group[], pods: readonly PodSummary[], now?: string): string | null {
  const lost = items.filter(({ unknownRevision }) => unknownRevision);
  if (lost.length > 0)
    return `${namesOf(lost)} ${isOrAre(lost)} on an unknown revision, whose object is missing`;
  const rebuilding = items.filter(({ state }) => state === 'rebuilding');
  if (rebuilding.length > 0) return `${namesOf(rebuilding)} ${isOrAre(rebuilding)} being rebuilt`;
  const starting = items.filter(({ state }) => state === 'starting');
  if (starting.length > 0) return `${namesOf(starting)} ${isOrAre(starting)} starting`;
  return describeStarting(pods, now);
}

function isOrAre(some: readonly unknown[]): string {
  return some.length === 1 ? 'is' : 'are';
}

/** "group 3", "groups 2 and 3", "groups 0, 1 and 6 more". */
function namesOf(groups: readonly Group[]): string {
  return `group${groups.length === 1 ? '' : 's'} ${listed(groups.map(({ index }) => String(index)))}`;
}

/** The same, by their number where there are many. */
function groupsOfMany(groups: readonly Group[]): string {
  return groups.length > 3 ? count(groups.length, 'group') : namesOf(groups);
}

function revisionsOf(groups: readonly Group[]): string {
  const names = groups.map(({ revision }) => (revision === null ? 'an unknown revision' : called(revision)));
  return listed([...new Set(names)]);
}

function targetName({ history }: Sight): string {
  return history.target === null ? 'the present template' : `revision ${called(history.target)}`;
}
