import { readKubectlLine, withoutViewer } from '@/lib/engine/status';
import { isActive } from '@/lib/history/assemble';
import { capitalize, formatCount, formatList } from '@/lib/format/text';
import { numberAt } from '@/lib/kube/read';
import { type Hold, plainFacts, type Report, type WorkloadFacts } from '@/lib/engine/facts';
import {
  describeServing,
  describeStaying,
  formatTarget,
  joinSentences,
  staysOrStay,
} from '@/lib/messages/target';
import { allReadySince } from '@/lib/pods/by-revision';
import type { Group, Groups } from '@/lib/workloads/groups';
import { readFailedCreate } from '@/lib/workloads/reported';
import type { StatusInput } from '@/lib/workloads/kind';
import { groupsOf, targetKeyOf } from '@/lib/workloads/leader-worker-set/groups';
import { groupOfPod, keyOfPod, ownedObjects } from '@/lib/workloads/leader-worker-set/objects';
import { recreationsOf } from '@/lib/workloads/leader-worker-set/recreations';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { isObserved } from '@/lib/workloads/leader-worker-set/revisions';
import { sizeOf } from '@/lib/workloads/leader-worker-set/spec';

/** What the groups of a LeaderWorkerSet show; pods appear only as numbers. */
export function leaderWorkerSetFacts(input: StatusInput): WorkloadFacts {
  const { workload, history, pods } = input;
  const groups = groupsOf(input);
  // Only the leader of a surplus group is deleted; its workers follow.
  const active = pods.filter((pod) => isActive(pod) && (groupOfPod(pod) ?? 0) < groups.items.length);
  const own = groups.items.filter(({ surge }) => !surge);
  const missing = Math.max(0, groups.desired - own.length) * sizeOf(workload);
  const desired = own.reduce((sum, { size }) => sum + size, missing);
  const ready = active.filter((pod) => pod.ready).length;
  const key = targetKeyOf(input);
  const updated = active.filter((pod) => key !== null && keyOfPod(pod) === key).length;
  const isDone = isFinished(groups);
  const isScaledDown = groups.desired === 0;
  return {
    ...plainFacts(input),
    unit: 'group',
    isObserved: isObserved(input),
    report: isScaledDown
      ? null
      : (reportUnlisted(input) ??
        reportDisagreement(groups) ??
        (isDone ? null : reportRecreations(input, groups, desired))),
    counts: { desired, ready, updated, available: ready },
    progress: {
      updated: groups.updated,
      goal: groups.wanted,
      serving: own.filter((each) => each.ready).length,
      servingWord: 'ready',
      desired: groups.desired,
      surge: groups.items.length - own.length,
      waitsFor: describeWaiting(groups.items),
    },
    isScaledDown,
    isFinished: isDone,
    finishedAt: history.target === null ? null : allReadySince(pods, desired),
    completedBefore: groups.updated >= groups.wanted && groups.ready > 0 ? 'assumed' : 'no',
    hold: readHold(groups),
    failure: readFailedCreate(input, desired),
    waitsForDeletion: true,
    nameAffected: (blockers) => {
      const uids = new Set(blockers.map(({ podUid }) => podUid));
      const affected = groups.items.filter(({ leader, workers }) =>
        [leader, ...workers].some((pod) => uids.has(pod?.uid ?? '')),
      );
      return affected.length === 0 ? formatList(blockers.map(({ pod }) => pod)) : formatGroups(affected);
    },
    kubectl: readKubectlLine(withoutViewer(leaderWorkerSets)),
  };
}

/**
 * Every group that the partition releases is updated and ready, and all others are ready. Surge groups stay
 * while the partition holds more groups than that: the controller counts them among the unready ones.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/controllers/leaderworkerset_controller.go
 * (calculateLWSUnreadyReplicas)
 */
function isFinished({ items, desired, wanted, updated, ready }: Groups): boolean {
  const own = items.filter(({ surge }) => !surge);
  if (own.length !== desired || own.some((group) => !group.ready)) return false;
  if (updated < wanted || ready < wanted) return false;
  return own.some(isHeldBack) || items.length <= desired;
}

function isHeldBack({ held, updated }: Group): boolean {
  return held && !updated;
}

function reportUnlisted(input: StatusInput): Report | null {
  const replicas = numberAt(ownedObjects(input).leaders?.status, 'replicas') ?? 0;
  if (input.pods.length > 0 || replicas === 0) return null;
  return {
    says: 'unclear',
    message: 'its pods cannot be listed',
    sentence: 'Its pods cannot be listed, so the state of its groups is unknown.',
    since: null,
  };
}

/** Leader and workers of one group on different revisions: nothing repairs that by itself. */
function reportDisagreement({ items }: Groups): Report | null {
  const inconsistent = items.filter(({ state }) => state === 'disagrees');
  if (inconsistent.length === 0) return null;
  const what = `eader and workers of ${formatGroups(inconsistent)} run different revisions`;
  return {
    says: 'failing',
    message: `l${what}`,
    sentence: `L${what}. The controller does not repair this: restart ${inconsistent.length === 1 ? 'the group' : 'the groups'}.`,
    since: null,
  };
}

/**
 * A group that is recreated repeatedly: its pods are missing, starting or blocked from one second to the
 * next, so their current state does not matter.
 */
function reportRecreations(input: StatusInput, { items }: Groups, desired: number): Report | null {
  const loops = recreationsOf(input, items);
  if (loops.length === 0) return null;
  const where = formatGroups(loops.map(({ group }) => group));
  const counts = loops.map(({ times }) => times);
  const [least, most] = [Math.min(...counts), Math.max(...counts)];
  const often = least === most ? `${most} times` : `${least} to ${most} times`;
  const failing = [...new Set(loops.flatMap((loop) => loop.pods))];
  const fails = `${formatList(failing)} ${failing.length === 1 ? 'fails' : 'fail'}`;
  const others = items.filter((group) => !loops.some((loop) => loop.group === group));
  const isOver = others.every(({ updated, held, surge }) => updated || held || surge);
  return {
    says: isOver && others.some(({ ready }) => ready) ? 'failing' : 'stopped',
    message: `${where} recreated ${often}; ${fails}`,
    sentence: joinSentences(
      `${capitalize(where)} ${loops.length === 1 ? 'was' : 'were'} recreated ${often} on ${formatTarget(input.history)}: ${fails}, and the restart policy recreates the whole group each time.`,
      describeServing({ history: input.history, counts: { desired } }),
    ),
    since: loops.flatMap(({ since }) => since ?? []).sort()[0] ?? null,
  };
}

function readHold({ items, partition }: Groups): Hold | null {
  const held = items.filter(isHeldBack);
  if (held.filter(({ surge }) => !surge).length === 0) return null;
  const name = `partition ${partition}`;
  const surge = items.filter((group) => group.surge);
  const on = held.map(({ revision }) => revision ?? undefined);
  const hold = { name, subject: name, stays: describeStaying(formatGroupsOrCount(held), on) };
  if (surge.length === 0) return hold;
  return {
    ...hold,
    note: `${capitalize(formatGroups(surge))} ${staysOrStay(surge)} until the partition moves.`,
  };
}

/** "group 3 is being rebuilt", "surge groups 4 and 5 are starting"; null while no group is starting. */
function describeWaiting(items: readonly Group[]): string | null {
  const withoutRevision = items.filter(({ unknownRevision }) => unknownRevision);
  if (withoutRevision.length > 0)
    return `${formatGroups(withoutRevision)} ${isOrAre(withoutRevision)} on an unknown revision whose object was deleted`;
  const rebuilding = items.filter(({ state, surge }) => state === 'rebuilding' && !surge);
  if (rebuilding.length > 0) return `${formatGroups(rebuilding)} ${isOrAre(rebuilding)} being rebuilt`;
  // A surge group is new in each rollout.
  const starting = items.filter(({ state }) => state === 'starting' || state === 'rebuilding');
  if (starting.length > 0) return `${formatGroups(starting)} ${isOrAre(starting)} starting`;
  return null;
}

function isOrAre(list: readonly unknown[]): string {
  return list.length === 1 ? 'is' : 'are';
}

/** "group 3", "groups 2 and 3", "groups 0, 1 and 6 more", "surge group 4". */
function formatGroups(groups: readonly Group[]): string {
  const kind = groups.every(({ surge }) => surge) ? 'surge ' : '';
  return `${kind}group${groups.length === 1 ? '' : 's'} ${formatList(groups.map(({ index }) => String(index)))}`;
}

/** The same, by their number where there are many. */
function formatGroupsOrCount(groups: readonly Group[]): string {
  return groups.length > 3 ? formatCount(groups.length, 'group') : formatGroups(groups);
}
