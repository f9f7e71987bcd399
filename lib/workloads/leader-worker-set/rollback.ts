import { normalizeTemplate } from '@/lib/diff/normalize';
import { numberOfSource } from '@/lib/history/revision-order';
import { deepEqual, type Json } from '@/lib/kube/json';
import { type PlanResult, type RollbackInput } from '@/lib/workloads/kind';
import { groupsOf } from '@/lib/workloads/leader-worker-set/groups';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { checkPartition, setPartition, describeSurge } from '@/lib/workloads/leader-worker-set/partition';
import { describePace, partitionOf, replicasOf } from '@/lib/workloads/leader-worker-set/spec';
import { groupTemplateLocation } from '@/lib/workloads/leader-worker-set/template';
import { patchWorkload, pointer, setTested, testUid } from '@/lib/workloads/patch';
import { type Finding, type JsonPatchOperation } from '@/lib/workloads/plan';
import { numberAt, objectAt, valueAt } from '@/lib/kube/read';
import { checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { rollbackPlan } from '@/lib/workloads/rollback-plan';
import { formatTarget, equalRevisions } from '@/lib/workloads/rollback-target';
import { formatCount, formatList } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';
import { type Template, type Workload } from '@/lib/history/workload';

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
        `${formatCount(replicasOf(input.workload), 'group')} wanted, the ${input.partition === undefined ? 'rollout strategy with its partition' : 'rest of the rollout strategy'}, and the startup policy stay; no revision records them.`,
        'Labels and annotations of the LeaderWorkerSet stay, the exclusive topology among them.',
        'ConfigMaps, Secrets, Services and the ServiceAccount stay as they are now; they have no history.',
      ],
      kubectl: '# kubectl rollout undo knows no LeaderWorkerSet',
    }),
    write: patchWorkload(leaderWorkerSets, input.workload, replaceMembers(input)),
  }));
}

/** Findings that differ here: an owner refuses, and the controller never uses an object again. */
const OWN_CODES = new Set(['owner_controller', 'retained_equal']);

/** Members that an old record lacks stay unchanged: the API server accepts no network without its policy. */
function replaceMembers(input: RollbackInput): JsonPatchOperation[] {
  const { workload, currentTemplate, template } = input;
  const changed = groupTemplateLocation.members.flatMap((member) => {
    const value = template[member];
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
  const owner = workload.owners.find(({ controller }) => controller === true);
  if (owner === undefined) return [];
  return refuseIf(
    true,
    'owned',
    `${owner.kind} ${owner.name} makes this LeaderWorkerSet and writes its template again.`,
    `Roll ${owner.kind} ${owner.name} back instead.`,
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
        ? `Revision ${on} has sub-groups; they cannot be added to a LeaderWorkerSet that was made without.`
        : `Revision ${on} has no sub-groups; they cannot be taken from a LeaderWorkerSet that was made with them.`,
      'Create it anew from a manifest, or choose another revision.',
    ),
    ...refuseIf(
      policy !== undefined && desired !== undefined && size !== desiredSize,
      'sub_groups_immutable',
      `Revision ${on} has sub-groups of ${desiredSize ?? 'no'} pods, and now they have ${size ?? 'none'}; their size cannot be changed.`,
      'Create it anew from a manifest, or choose another revision.',
    ),
    ...refuseIf(
      !deepEqual(claims(before), claims(after)),
      'claim_templates_immutable',
      `Revision ${on} has other volume claim templates. The LeaderWorkerSet would take them, but its StatefulSets cannot, and the rollout would stand still.`,
      'Create it anew from a manifest, or choose another revision.',
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
      message: `Groups get ${formatCount(after, 'pod')} instead of ${before}: every group is rebuilt, and all of them together need ${groups * after} pods instead of ${groups * before}.`,
      action:
        after > before
          ? 'Make sure that there are nodes for them: a group serves only when it is whole.'
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
      message: `The subdomain policy goes back as well, from ${before} to ${after}: pods get other DNS names.`,
      action: 'Make sure that nothing has learned the present names.',
    },
  ];
}

function checkHeldGroups(input: RollbackInput): Finding[] {
  const { workload, to } = input;
  const replicas = replicasOf(workload);
  const partition = Math.min(partitionAfter(input), replicas);
  const on = formatTarget(to);
  if (partition === 0) {
    return replicas < 2
      ? []
      : [
          {
            severity: 'info',
            code: 'canary_possible',
            message: `All groups go back to ${on}, one after the other.`,
            action: `To try it on one group first, set the partition to ${replicas - 1} with it, and move it to 0 afterwards.`,
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
      message: `The partition ${partition} holds ${partition === 1 ? 'group' : 'groups'} ${names}: ${partition === 1 ? 'it does' : 'they do'} not go back to ${on} with the others.`,
      action: `Move the partition to 0${input.partition === undefined ? ', with it or afterwards,' : ' afterwards'} to bring ${partition === 1 ? 'it' : 'them'} back as well.`,
    },
  ];
}

function describeRestore({ to }: RollbackInput): string {
  return `The templates of leaders and workers, the size of groups and the network go back to those of ${formatTarget(to)}.`;
}

function describeGroupChanges(input: RollbackInput): string[] {
  const { workload, to, history } = input;
  const on = formatTarget(to);
  const { items } = groupsOf(input);
  const equal = new Set(equalRevisions(history, to).map(({ id }) => id));
  const own = items.filter(({ surge }) => !surge);
  const movingGroups = own.filter(
    ({ index, revision }) => index >= partitionAfter(input) && !equal.has(revision?.id ?? ''),
  );
  const unchangedGroups = own.filter(({ revision }) => equal.has(revision?.id ?? ''));
  const surgeText = describeSurge(workload, items, partitionAfter(input));
  const moveText = movesPartition(input)
    ? [`The partition goes from ${partitionOf(workload)} to ${partitionAfter(input)} in the same write.`]
    : [];
  if (movingGroups.length === 0) return [...moveText, 'No group is replaced.', ...surgeText];
  const order = movingGroups.map(({ index }) => String(index)).reverse();
  return [
    ...moveText,
    `${formatCount(movingGroups.length, 'group')} (${formatList(order, 6)}) ${movingGroups.length === 1 ? 'is' : 'are'} replaced as a whole, leader and workers, ${describePace(workload)}.`,
    ...(unchangedGroups.length === 0
      ? []
      : [
          `${formatCount(unchangedGroups.length, 'group')} that still ${unchangedGroups.length === 1 ? 'runs' : 'run'} ${on} ${unchangedGroups.length === 1 ? 'counts' : 'count'} as updated at once.`,
        ]),
    ...surgeText,
  ];
}

/** Equal content always gets the same key, and always an object of its own. */
function describeRecording({ history, to }: RollbackInput): string {
  const highest = history.revisions.reduce(
    (most, { source }) => Math.max(most, numberOfSource(source) ?? 0),
    0,
  );
  const known = equalRevisions(history, to).length > 0 || to.origin.kind !== 'earlierLife';
  const equals = known ? `, which equals revision ${formatRevision(to)}` : '';
  return `The controller records the template once more, as ${highest + 1}${equals}.`;
}

function describeTruncation(input: RollbackInput): string {
  return partitionAfter(input) === 0
    ? 'When all groups are ready, the controller deletes every other revision; Shiplog has them in its archive.'
    : 'As long as the partition holds groups, the controller keeps the other revisions.';
}
