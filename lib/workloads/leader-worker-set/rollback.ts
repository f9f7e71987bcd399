import { controllerOf } from '@/lib/kube/object';
import { normalizeTemplate } from '@/lib/diff/normalize';
import { deepEqual, type Json } from '@/lib/kube/json';
import { type Capacity, capacityOf, servingAtLeast } from '@/lib/workloads/capacity';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import type { Group } from '@/lib/workloads/groups';
import { groupsOf } from '@/lib/workloads/leader-worker-set/groups';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { checkPartition, setPartition, describeSurge } from '@/lib/workloads/leader-worker-set/partition';
import {
  describePace,
  partitionOf,
  replicasOf,
  surgeOf,
  unavailableOf,
} from '@/lib/workloads/leader-worker-set/spec';
import { groupTemplateLocation } from '@/lib/workloads/leader-worker-set/template';
import { patchWorkload, pointer, setTested, testUid } from '@/lib/workloads/patch';
import type { Finding, JsonPatchOperation } from '@/lib/workloads/plan';
import { numberAt, objectAt, valueAt } from '@/lib/kube/read';
import { checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { OTHER_OBJECTS_STAY, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { formatResult, formatTarget, equalRevisions, nextNumber } from '@/lib/workloads/rollback-target';
import { formatCount, formatList } from '@/lib/format/text';
import type { Template, Workload } from '@/lib/history/workload';

const GROUP = 'leaderWorkerTemplate';

/**
 * Rollback to an earlier template: both members that revisions record are replaced completely. A merge would
 * keep members that the earlier one did not have, and the API server accepts no strategic merge patch for a
 * custom resource.
 */
export function planRollback(input: RollbackInput): PlanResult {
  const findings = [
    ...checkOwned(input.workload),
    ...checkImmutable(input),
    ...checkRollback(input).filter(({ code }) => !OWN_CODES.has(code)),
    ...checkSize(input),
    ...checkNetwork(input),
    ...checkMove(input),
    ...checkHeldGroups(input),
  ];
  return unlessRefused(findings, () => ({
    ...rollbackPlan(leaderWorkerSets, input, {
      steps: [
        describeRestore(input),
        ...describeGroupChanges(input),
        describeRecording(input),
        describeTruncation(input),
      ],
      stays: [
        `Groups (${replicasOf(input.workload)}), the ${input.partition === undefined ? 'rollout strategy with its partition' : 'rest of the rollout strategy'} and the startup policy are unchanged.`,
        'Labels and annotations of the LeaderWorkerSet are unchanged, including the exclusive topology.',
        OTHER_OBJECTS_STAY,
      ],
      kubectl: '# kubectl rollout undo does not support LeaderWorkerSet',
      capacity: capacity(input),
    }),
    write: patchWorkload(leaderWorkerSets, input.workload, replaceMembers(input)),
  }));
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
  return [
    testUid(workload),
    ...changed,
    ...(movesPartition(input) ? setPartition(workload, partitionAfter(input)) : []),
  ];
}

/** After the rollback. */
function partitionAfter({ workload, partition }: RollbackInput): number {
  return partition ?? partitionOf(workload);
}

function movesPartition(input: RollbackInput): boolean {
  return partitionAfter(input) !== partitionOf(input.workload);
}

function checkMove({ workload, partition }: RollbackInput): Finding[] {
  return partition === undefined ? [] : checkPartition(workload, partition);
}

/** For every revision: its owner would write the template again. */
export function checkOwned(workload: Workload): Finding[] {
  const owner = controllerOf(workload.owners);
  if (owner === undefined) return [];
  return refuseIf(
    true,
    'owned',
    `${owner.kind} ${owner.name} controls this LeaderWorkerSet and reverts changes of its template.`,
    `Roll back ${owner.kind} ${owner.name} instead.`,
  );
}

/**
 * What the webhook of the controller rejects, and what it accepts although the StatefulSets of the groups
 * cannot apply it.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/webhooks/leaderworkerset_webhook.go
 */
function checkImmutable({ currentTemplate, template, to }: RollbackInput): Finding[] {
  const on = formatTarget(to);
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
      'Recreate it from a manifest, or choose another revision.',
    ),
    ...refuseIf(
      policy !== undefined && desired !== undefined && size !== desiredSize,
      'sub_groups_immutable',
      `Revision ${on} has subgroups of ${desiredSize ?? 'no'} pods, the current template of ${size ?? 'none'}. The size of subgroups is immutable.`,
      'Recreate it from a manifest, or choose another revision.',
    ),
    ...refuseIf(
      !deepEqual(claims(before), claims(after)),
      'claim_templates_immutable',
      `Revision ${on} has different volume claim templates. They are immutable in the StatefulSets of the groups, so the rollout would stall.`,
      'Recreate it from a manifest, or choose another revision.',
    ),
  ];
}

function checkSize({ workload, currentTemplate, template }: RollbackInput): Finding[] {
  const [before, after] = [currentTemplate, template].map((side) => numberAt(side, GROUP, 'size') ?? 1);
  if (before === after || before === undefined || after === undefined) return [];
  const groups = replicasOf(workload);
  return [
    {
      severity: 'warning',
      code: 'size_changes',
      message: `The group size changes from ${before} to ${formatCount(after, 'pod')}: all groups are recreated and need ${groups * after} pods in total instead of ${groups * before}.`,
      action:
        after > before
          ? 'Make sure that enough nodes are available: a group serves only when it is complete.'
          : null,
    },
  ];
}

function checkNetwork({ currentTemplate, template }: RollbackInput): Finding[] {
  const policyOf = (side: Template) =>
    valueAt(normalizeTemplate(side), 'networkConfig', 'subdomainPolicy') ?? 'Shared';
  const [before, after] = [policyOf(currentTemplate), policyOf(template)].map((policy) =>
    typeof policy === 'string' ? policy : JSON.stringify(policy),
  );
  if (before === after) return [];
  return [
    {
      severity: 'warning',
      code: 'network_changes',
      message: `The subdomain policy changes from ${before} to ${after}: pods get different DNS names.`,
      action: 'Make sure that nothing depends on the current names.',
    },
  ];
}

function checkHeldGroups(input: RollbackInput): Finding[] {
  const { workload } = input;
  const replicas = replicasOf(workload);
  const partition = Math.min(partitionAfter(input), replicas);
  const on = formatResult(input);
  if (partition === 0) {
    return replicas < 2
      ? []
      : [
          {
            severity: 'info',
            code: 'canary_possible',
            message: `All groups are rolled back to revision ${on}, one after the other.`,
            action: `To try one group first, also set the partition to ${replicas - 1}, and to 0 afterwards.`,
          },
        ];
  }
  const names =
    partition > 3
      ? `0 to ${partition - 1}`
      : formatList(Array.from({ length: partition }, (_, index) => String(index)));
  return [
    {
      severity: 'warning',
      code: 'partition_holds',
      message: `Partition ${partition} holds ${partition === 1 ? 'group' : 'groups'} ${names}: ${partition === 1 ? 'it is' : 'they are'} not rolled back to revision ${on}.`,
      action: `Set the partition to 0${input.partition === undefined ? ' with the rollback or afterwards' : ' afterwards'} to roll ${partition === 1 ? 'it' : 'them'} back too.`,
    },
  ];
}

function describeRestore({ to }: RollbackInput): string {
  return `Leader and worker templates, group size and network settings are set to those of revision ${formatTarget(to)}.`;
}

/** The groups by what becomes of them. */
function groupsByFate(input: RollbackInput): { moving: Group[]; held: Group[]; unchanged: Group[] } {
  const equal = new Set(equalRevisions(input.history, input.to).map(({ id }) => id));
  const own = groupsOf(input).items.filter(({ surge }) => !surge);
  const others = own.filter(({ revision }) => !equal.has(revision?.id ?? ''));
  const isHeld = ({ index }: Group) => index < partitionAfter(input);
  return {
    moving: others.filter((group) => !isHeld(group)),
    held: others.filter(isHeld),
    unchanged: own.filter(({ revision }) => equal.has(revision?.id ?? '')),
  };
}

function capacity(input: RollbackInput): Capacity {
  const { workload } = input;
  const { moving, held } = groupsByFate(input);
  const ready = groupsOf(input).items.filter((group) => group.ready).length;
  const unavailable =
    surgeOf(workload) === 0 ? Math.max(1, unavailableOf(workload)) : unavailableOf(workload);
  return capacityOf({
    unit: 'group',
    replaced: moving.length,
    held: { count: held.length, by: `held by partition ${partitionAfter(input)}` },
    serving: servingAtLeast(ready, replicasOf(workload), unavailable),
  });
}

function describeGroupChanges(input: RollbackInput): string[] {
  const { workload } = input;
  const on = formatResult(input);
  const { items } = groupsOf(input);
  const { moving: movingGroups, unchanged: unchangedGroups } = groupsByFate(input);
  const surgeText = describeSurge(workload, items, partitionAfter(input));
  const moveText = movesPartition(input)
    ? [`The same request changes the partition from ${partitionOf(workload)} to ${partitionAfter(input)}.`]
    : [];
  if (movingGroups.length === 0) return [...moveText, 'No group is replaced.', ...surgeText];
  const order = movingGroups.map(({ index }) => String(index)).reverse();
  return [
    ...moveText,
    `${formatCount(movingGroups.length, 'group')} (${formatList(order, 6)}) ${movingGroups.length === 1 ? 'is' : 'are'} replaced, leader and workers together, ${describePace(workload)}.`,
    ...(unchangedGroups.length === 0
      ? []
      : [
          `${formatCount(unchangedGroups.length, 'group')} already ${unchangedGroups.length === 1 ? 'runs' : 'run'} revision ${on} and ${unchangedGroups.length === 1 ? 'keeps' : 'keep'} running.`,
        ]),
    ...surgeText,
  ];
}

/** Equal content always gets the same key, and always an object of its own. */
function describeRecording({ history, to }: RollbackInput): string {
  const isOfThisObject = to.stored === undefined && to.origin.kind !== 'earlierIncarnation';
  const known = isOfThisObject || equalRevisions(history, to).length > 0;
  const equals = known ? `, equal to revision ${formatResult({ history, to })}` : '';
  return `The controller records the template as new revision ${nextNumber(history)}${equals}.`;
}

function describeTruncation(input: RollbackInput): string {
  return partitionAfter(input) === 0
    ? 'When all groups are ready, the controller deletes the other revisions. Shiplog keeps them in its archive.'
    : 'While the partition holds groups, the controller keeps the other revisions.';
}
