import { capacityOf, servingAtLeast } from '@/lib/engine/capacity';
import { normalizeTemplate } from '@/lib/diff/normalize';
import type { Move, SettingRules, Units } from '@/lib/engine/update';
import { formatCount, formatList } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';
import type { Template, Workload } from '@/lib/history/workload';
import { deepEqual, type Json } from '@/lib/kube/json';
import { controllerOf } from '@/lib/kube/object';
import { numberAt, objectAt, valueAt } from '@/lib/kube/read';
import { describeHeld, describeMoving, notRolledBack } from '@/lib/messages/plan';
import { formatTarget as formatCurrent } from '@/lib/messages/target';
import { checkPartition, planPartition } from '@/lib/workloads/controls';
import { podDeletion, refuseDeleting, refuseGone } from '@/lib/workloads/delete-pod';
import type { Group } from '@/lib/workloads/groups';
import type { ControlInput, PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { groupsOf } from '@/lib/workloads/leader-worker-set/groups';
import { groupOfPod, isLeader, ownedObjects } from '@/lib/workloads/leader-worker-set/objects';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import {
  describePace,
  partitionOf,
  replicasOf,
  ROLLING,
  surgeOf,
  unavailableOf,
} from '@/lib/workloads/leader-worker-set/spec';
import { groupTemplateLocation } from '@/lib/workloads/leader-worker-set/template';
import { pointer, setMember, setTested, testUid } from '@/lib/workloads/patch';
import { type Finding, finding, type JsonPatchOperation, refuseIf, warnIf } from '@/lib/workloads/plan';
import { checkDeleting, checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { OTHER_OBJECTS_STAY, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { formatResult, formatTarget, equalRevisions, nextNumber } from '@/lib/workloads/rollback-target';

const GROUP = 'leaderWorkerTemplate';
const OTHERS_DELETED =
  'When all groups are ready, the controller deletes the other revisions. Shiplog keeps them in its archive.';

const PARTITION = [...ROLLING, 'partition'];
/** The other members of a missing strategy get their defaults. */
const CREATED = { type: 'RollingUpdate' };

/** Its partition counts groups: those from this number up follow the target. */
const settings: SettingRules = {
  resource: leaderWorkerSets,
  title: 'LeaderWorkerSet',
  rollingOf: ({ spec }) => ({
    partition: valueAt(spec, ...PARTITION),
    path: ROLLING,
    created: CREATED,
  }),
  desiredOf: replicasOf,
  partitionOf,
};

/**
 * Rollback to an earlier template: both members that revisions record are replaced completely. A merge would
 * keep members that the earlier one did not have, and the API server accepts no strategic merge patch for a
 * custom resource.
 */
export function planRollback(input: RollbackInput): PlanResult {
  const { workload, partition } = input;
  const findings = [
    ...checkOwned(workload),
    ...checkImmutable(input),
    ...checkRollback(input).filter(({ code }) => !OWN_CODES.has(code)),
    ...checkSize(input),
    ...checkNetwork(input),
    ...(partition === undefined ? [] : checkMove(workload, partition)),
    ...checkHeldGroups(input),
  ];
  const move = moveOf(input);
  const ready = groupsOf(input).items.filter((group) => group.ready).length;
  const unavailableMin = surgeOf(workload) === 0 ? 1 : 0;
  return unlessRefused(findings, () =>
    rollbackPlan(leaderWorkerSets, input, {
      operations: replaceMembers(input),
      steps: describeGroupChanges(input, move),
      stays: [
        `Groups (${replicasOf(workload)}), the ${partition === undefined ? 'rollout strategy with its partition' : 'rest of the rollout strategy'} and the startup policy are unchanged.`,
        'Labels and annotations of the LeaderWorkerSet are unchanged, including the exclusive topology.',
        OTHER_OBJECTS_STAY,
      ],
      capacity: capacityOf({
        unit: 'group',
        replaced: move.moving.number,
        held: { count: move.held.number, by: `held by partition ${partitionAfter(input)}` },
        serving: servingAtLeast(
          ready,
          replicasOf(workload),
          Math.max(unavailableMin, unavailableOf(workload)),
        ),
      }),
    }),
  );
}

/** Findings that differ here: an owner refuses, and the controller never uses an object again. */
const OWN_CODES = new Set(['owner_controller', 'retained_equal']);

/** Members that an old record lacks stay unchanged: the API server accepts no network without its policy. */
function replaceMembers(input: RollbackInput): JsonPatchOperation[] {
  const { workload, currentTemplate, template, requested = template } = input;
  const changed = groupTemplateLocation.members.flatMap((member) => {
    const value = requested[member];
    return value === undefined ? [] : setTested(pointer('spec', member), currentTemplate[member], value);
  });
  const operations = [testUid(workload), ...changed];
  if (movesPartition(input))
    operations.push(...setMember(workload, PARTITION, partitionAfter(input), CREATED));
  return operations;
}

/** After the rollback. */
function partitionAfter({ workload, partition }: RollbackInput): number {
  return partition ?? partitionOf(workload);
}

function movesPartition(input: RollbackInput): boolean {
  return partitionAfter(input) !== partitionOf(input.workload);
}

function checkMove(workload: Workload, to: number): Finding[] {
  return [...checkPartition(settings, workload, to), ...checkControllerVersion(workload, to)];
}

/** Where the other members of a strategy have their defaults, only the partition can be absent, before 0.7. */
function checkControllerVersion(workload: Workload, to: number | undefined): Finding[] {
  const rolling = objectAt(workload.spec, ...ROLLING);
  return warnIf(
    to !== partitionOf(workload) && rolling !== undefined && rolling.partition === undefined,
    'partition_unknown',
    'The rollout strategy has no partition. LeaderWorkerSet before 0.7 does not support one and drops it.',
    'Check afterwards that the partition is set.',
  );
}

/** For every revision: its owner would write the template again. */
export function checkOwned(workload: Workload): Finding[] {
  const owner = controllerOf(workload.owners);
  const name = `${owner?.kind ?? ''} ${owner?.name ?? ''}`;
  return refuseIf(
    owner !== undefined,
    'owned',
    `${name} controls this LeaderWorkerSet and reverts changes of its template.`,
    `Roll back ${name} instead.`,
  );
}

/**
 * What the webhook of the controller rejects, and what it accepts although the StatefulSets of the groups
 * cannot apply it.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/webhooks/leaderworkerset_webhook.go
 */
function checkImmutable({ currentTemplate, template, to }: RollbackInput): Finding[] {
  const on = formatTarget(to);
  const remedy = 'Recreate it from a manifest, or choose another revision.';
  const [before, after] = [normalizeTemplate(currentTemplate), normalizeTemplate(template)];
  const [policy, desired] = [before, after].map((side) => objectAt(side, GROUP, 'subGroupPolicy'));
  const [size, desiredSize] = [policy, desired].map((side) => numberAt(side, 'subGroupSize'));
  const claims = (side: Template): Json => valueAt(side, GROUP, 'volumeClaimTemplates') ?? [];
  return [
    ...refuseIf(
      (policy === undefined) !== (desired === undefined),
      'sub_groups_immutable',
      policy === undefined
        ? `Revision ${on} has subgroups. They cannot be added to an existing LeaderWorkerSet.`
        : `Revision ${on} has no subgroups. They cannot be removed from an existing LeaderWorkerSet.`,
      remedy,
    ),
    ...refuseIf(
      policy !== undefined && desired !== undefined && size !== desiredSize,
      'sub_groups_immutable',
      `Revision ${on} has subgroups of ${desiredSize ?? 'no'} pods, the current template of ${size ?? 'none'}. The size of subgroups is immutable.`,
      remedy,
    ),
    ...refuseIf(
      !deepEqual(claims(before), claims(after)),
      'claim_templates_immutable',
      `Revision ${on} has different volume claim templates. They are immutable in the StatefulSets of the groups, so the rollout would stall.`,
      remedy,
    ),
  ];
}

function checkSize({ workload, currentTemplate, template }: RollbackInput): Finding[] {
  const sizeIn = (side: Template) => numberAt(side, GROUP, 'size') ?? 1;
  const [before, after] = [sizeIn(currentTemplate), sizeIn(template)];
  const groups = replicasOf(workload);
  return warnIf(
    before !== after,
    'size_changes',
    `The group size changes from ${before} to ${formatCount(after, 'pod')}: all groups are recreated and need ${groups * after} pods in total instead of ${groups * before}.`,
    after > before
      ? 'Make sure that enough nodes are available: a group serves only when it is complete.'
      : null,
  );
}

function checkNetwork({ currentTemplate, template }: RollbackInput): Finding[] {
  const [before = '', after = ''] = [currentTemplate, template].map((side) => {
    const policy = valueAt(normalizeTemplate(side), 'networkConfig', 'subdomainPolicy') ?? 'Shared';
    return typeof policy === 'string' ? policy : JSON.stringify(policy);
  });
  return warnIf(
    before !== after,
    'network_changes',
    `The subdomain policy changes from ${before} to ${after}: pods get different DNS names.`,
    'Make sure that nothing depends on the current names.',
  );
}

function checkHeldGroups(input: RollbackInput): Finding[] {
  const replicas = replicasOf(input.workload);
  const partition = Math.min(partitionAfter(input), replicas);
  const on = formatResult(input);
  if (partition === 0) {
    if (replicas < 2) return [];
    const message = `All groups are rolled back to revision ${on}, one after the other.`;
    const advice = `To try one group first, also set the partition to ${replicas - 1}, and to 0 afterwards.`;
    return [finding('info', 'canary_possible', message, advice)];
  }
  const names = Array.from({ length: partition }, (_, index) => String(index));
  const who = `${partition === 1 ? 'group' : 'groups'} ${partition > 3 ? `0 to ${partition - 1}` : formatList(names)}`;
  const when = input.partition === undefined ? ' with the rollback or afterwards' : ' afterwards';
  return warnIf(
    true,
    'partition_holds',
    describeHeld({ partition }, who, partition, notRolledBack(on)),
    `Set the partition to 0${when} to roll ${partition === 1 ? 'it' : 'them'} back too.`,
  );
}

/** What becomes of the groups; surge groups are not replaced, but end with the rollout. */
function moveOf(input: RollbackInput): Move {
  const equal = new Set(equalRevisions(input.history, input.to).map(({ id }) => id));
  const own = groupsOf(input).items.filter(({ surge }) => !surge);
  const others = own.filter(({ revision }) => !equal.has(revision?.id ?? ''));
  const isHeld = ({ index }: Group) => index < partitionAfter(input);
  return {
    unit: 'group',
    moving: unitsOf(others.filter((group) => !isHeld(group))),
    held: unitsOf(others.filter(isHeld)),
    kept: own.length - others.length,
  };
}

/** In the order of an update. */
function unitsOf(groups: readonly Group[]): Units {
  return { number: groups.length, names: groups.map(({ index }) => String(index)).reverse() };
}

function describeGroupChanges(input: RollbackInput, move: Move): string[] {
  const { workload, history, to } = input;
  const on = formatResult(input);
  const after = partitionAfter(input);
  const steps = [
    `Leader and worker templates, group size and network settings are set to those of revision ${formatTarget(to)}.`,
  ];
  if (movesPartition(input))
    steps.push(`The same request changes the partition from ${partitionOf(workload)} to ${after}.`);
  steps.push(describeMoving(move, `replaced, leader and workers together, ${describePace(workload)}`));
  if (move.kept > 0 && move.moving.number > 0) {
    const [run, keep] = move.kept === 1 ? ['runs', 'keeps'] : ['run', 'keep'];
    steps.push(`${formatCount(move.kept, 'group')} already ${run} revision ${on} and ${keep} running.`);
  }
  steps.push(...describeSurge(input, after));
  // Equal content always gets the same key, and always an object of its own.
  const isOfThisObject = to.stored === undefined && to.origin.kind !== 'earlierIncarnation';
  const equals = isOfThisObject || equalRevisions(history, to).length > 0 ? `, equal to revision ${on}` : '';
  return [
    ...steps,
    `The controller records the template as new revision ${nextNumber(history)}${equals}.`,
    after === 0
      ? OTHERS_DELETED
      : 'While the partition holds groups, the controller keeps the other revisions.',
  ];
}

/** What happens to the surge groups, which nothing replaces, under a partition of `to`. Empty where there are none. */
function describeSurge(input: RollbackInput | ControlInput, to: number): string[] {
  const surge = groupsOf(input).items.filter((group) => group.surge);
  if (surge.length === 0) return [];
  const names = formatList(
    surge.map(({ index }) => String(index)),
    6,
  );
  const [noun, goes, stays] =
    surge.length === 1 ? ['group', 'is removed', 'stays'] : ['groups', 'are removed', 'stay'];
  const isKept = to > surgeOf(input.workload);
  return [
    `The surge ${noun} ${names} ${isKept ? `${stays} until the partition changes` : `${goes} at the end`}.`,
  ];
}

/**
 * Groups from this number up follow the target, those below stay on their revision. The number of groups holds all of
 * them, 0 none.
 * https://github.com/kubernetes-sigs/lws/blob/main/keps/511-partition-update/README.md
 */
export function planGroupPartition(input: ControlInput): PlanResult {
  const { workload, history, partition } = input;
  const describe = (to: number) => {
    const { items } = groupsOf(input);
    const on = formatCurrent(history);
    const moving = unitsOf(items.filter(({ index, updated, surge }) => index >= to && !updated && !surge));
    const current = partitionOf(workload);
    const steps = [
      describeMoving({ unit: 'group', moving }, `updated to ${on}, ${describePace(workload)}`),
      ...describeSurge(input, to),
    ];
    if (to > current)
      steps.push(`Groups that already run ${on} keep it: raising the partition reverts nothing.`);
    if (to === 0 && current > 0) steps.push(OTHERS_DELETED);
    return steps;
  };
  return planPartition(settings, input, describe, checkControllerVersion(workload, partition));
}

/** Restarts a group: its leader is deleted, and its dependents are deleted and created again with it. */
export function planGroupRestart(input: ControlInput): PlanResult {
  const { pods, pod, history, workload } = input;
  const chosen = pods.find(({ uid }) => uid === pod?.uid);
  if (chosen === undefined)
    return { plan: null, findings: [...checkDeleting(input), ...refuseGone(input, 'groups')] };
  const { leaders } = ownedObjects(input);
  const isOwnLeader = isLeader(chosen) && leaders !== null && chosen.controllerUid === leaders.uid;
  const group = groupOfPod(chosen);
  const revision = history.revisionOfPod.get(chosen.uid);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      !isOwnLeader,
      'not_a_leader',
      `${chosen.name} is a worker. To restart a group, delete its leader.`,
      group === null ? null : `Delete ${workload.name}-${group} to restart group ${group}.`,
    ),
    ...refuseDeleting(chosen),
    // Without the object of its revision the controller can create no workers.
    ...warnIf(
      revision === undefined,
      'unknown_revision',
      `Group ${group ?? ''} runs a revision whose object was deleted. If its leader is recreated on it, the group gets no workers.`,
      'Check the group afterwards.',
    ),
  ];
  const workers = pods.filter((each) => groupOfPod(each) === group).length - 1;
  const on = revision === undefined ? 'its revision' : `revision ${formatRevision(revision)}`;
  return unlessRefused(findings, () => ({
    ...podDeletion(chosen),
    title: `Restart group ${group ?? ''} of ${workload.name}`,
    steps: [
      `Leader ${chosen.name} and its ${formatCount(Math.max(0, workers), 'worker')} terminate.`,
      group !== null && group >= partitionOf(workload)
        ? 'The group is recreated on the revision that the rollout assigns to it.'
        : `The group is recreated on ${on}, because the partition holds it.`,
    ],
    stays: ['All other groups keep running.'],
  }));
}
