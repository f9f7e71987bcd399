import { normaliseTemplate } from '@/lib/diff/normalise';
import { numberOfSource } from '@/lib/history/order';
import { deepEqual, type Json } from '@/lib/kube/json';
import { type Planned, type RollbackInput } from '@/lib/workloads/kind';
import { groupsOf } from '@/lib/workloads/leader-worker-set/groups';
import { leaderWorkerSets } from '@/lib/workloads/leader-worker-set/resource';
import { checkPartition, setPartition, surgeSteps } from '@/lib/workloads/leader-worker-set/partition';
import { paceOf, partitionOf, replicasOf } from '@/lib/workloads/leader-worker-set/spec';
import { groupTemplatePlace } from '@/lib/workloads/leader-worker-set/template';
import { patchWorkload, pointer, setTested, testUid } from '@/lib/workloads/patch';
import { type Finding, type JsonPatchOperation } from '@/lib/workloads/plan';
import { numberAt, objectAt, valueAt } from '@/lib/workloads/read';
import { checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { rollbackPlan } from '@/lib/workloads/rollback-plan';
import { calledTarget, equalRevisions } from '@/lib/workloads/rollback-target';
import { called, count, listed } from '@/lib/workloads/words';
import { type Template, type Workload } from '@/lib/workloads/workload';

const GROUP = 'leaderWorkerTemplate';

/**
 * Return to an earlier template: both members that revisions record are replaced as a whole. A merge would keep what the
 * earlier one did not have, and the API server takes no strategic merge patch for a custom resource.
 */
export function planRollback(input: RollbackInput): Planned {
  const findings = [
    ...refusalOfOwned(input.workload),
    ...checkImmutable(input),
    ...checkRollback(input).filter(({ code }) => !OWN_CODES.has(code)),
    ...checkSize(input),
    ...checkNetwork(input),
    ...checkMove(input),
    ...checkHeld(input),
  ];
  return unlessRefused(findings, () => ({
    ...rollbackPlan(leaderWorkerSets, input, {
      steps: [restoreStep(input), ...groupSteps(input), recordStep(input), truncationStep(input)],
      stays: [
        `${count(replicasOf(input.workload), 'group')} wanted, the ${input.partition === undefined ? 'rollout strategy with its partition' : 'rest of the rollout strategy'}, and the startup policy stay; no revision records them.`,
        'Labels and annotations of the LeaderWorkerSet stay, the exclusive topology among them.',
        'ConfigMaps, Secrets, Services and the ServiceAccount stay as they are now; they have no history.',
      ],
      kubectl: '# kubectl rollout undo knows no LeaderWorkerSet',
    }),
    write: patchWorkload(leaderWorkerSets, input.workload, replaceMembers(input)),
  }));
}

/** What is told otherwise here: an owner refuses, and the controller never uses an object again. */
const OWN_CODES = new Set(['owner_controller', 'retained_equal']);

/** What an old record lacks is left alone: the API server takes no network without its policy. */
function replaceMembers(input: RollbackInput): JsonPatchOperation[] {
  const { workload, present, template } = input;
  const changed = groupTemplatePlace.members.flatMap((member) => {
    const value = template[member];
    return value === undefined ? [] : setTested(pointer('spec', member), present[member], value);
  });
  return [
    testUid(workload),
    ...changed,
    ...(moves(input) ? setPartition(workload, partitionAfter(input)) : []),
  ];
}

/** As it will be with the rollback. */
function partitionAfter({ workload, partition }: RollbackInput): number {
  return partition ?? partitionOf(workload);
}

function moves(input: RollbackInput): boolean {
  return partitionAfter(input) !== partitionOf(input.workload);
}

function checkMove({ workload, partition }: RollbackInput): Finding[] {
  return partition === undefined ? [] : checkPartition(workload, partition);
}

/** Whatever the revision: its owner would write the template again. */
export function refusalOfOwned(workload: Workload): Finding[] {
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
 * What the webhook of the controller refuses, and what it lets pass although the StatefulSets of the groups cannot take it.
 * https://github.com/kubernetes-sigs/lws/blob/main/pkg/webhooks/leaderworkerset_webhook.go
 */
function checkImmutable({ present, template, to }: RollbackInput): Finding[] {
  const on = calledTarget(to);
  const [before, after] = [normaliseTemplate(present), normaliseTemplate(template)];
  const [policy, wanted] = [before, after].map((side) => objectAt(side, GROUP, 'subGroupPolicy'));
  const [size, wantedSize] = [policy, wanted].map((side) => numberAt(side, 'subGroupSize'));
  const claims = (side: Template): Json => valueAt(side, GROUP, 'volumeClaimTemplates') ?? [];
  return [
    ...refuseIf(
      (policy === undefined) !== (wanted === undefined),
      'sub_groups_immutable',
      policy === undefined
        ? `Revision ${on} has sub-groups; they cannot be added to a LeaderWorkerSet that was made without.`
        : `Revision ${on} has no sub-groups; they cannot be taken from a LeaderWorkerSet that was made with them.`,
      'Create it anew from a manifest, or choose another revision.',
    ),
    ...refuseIf(
      policy !== undefined && wanted !== undefined && size !== wantedSize,
      'sub_groups_immutable',
      `Revision ${on} has sub-groups of ${wantedSize ?? 'no'} pods, and now they have ${size ?? 'none'}; their size cannot be changed.`,
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

function checkSize({ workload, present, template }: RollbackInput): Finding[] {
  const [before, after] = [present, template].map((side) => numberAt(side, GROUP, 'size') ?? 1);
  if (before === after || before === undefined || after === undefined) return [];
  const groups = replicasOf(workload);
  return [
    {
      severity: 'warning',
      code: 'size_changes',
      message: `Groups get ${count(after, 'pod')} instead of ${before}: every group is rebuilt, and all of them together need ${groups * after} pods instead of ${groups * before}.`,
      action:
        after > before
          ? 'Make sure that there are nodes for them: a group serves only when it is whole.'
          : null,
    },
  ];
}

function checkNetwork({ present, template }: RollbackInput): Finding[] {
  const policyOf = (side: Template) =>
    valueAt(normaliseTemplate(side), 'networkConfig', 'subdomainPolicy') ?? 'Shared';
  const [before, after] = [policyOf(present), policyOf(template)].map((policy) =>
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

function checkHeld(input: RollbackInput): Finding[] {
  const { workload, to } = input;
  const replicas = replicasOf(workload);
  const partition = Math.min(partitionAfter(input), replicas);
  const on = calledTarget(to);
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
      : listed(Array.from({ length: partition }, (_, index) => String(index)));
  return [
    {
      severity: 'warning',
      code: 'partition_holds',
      message: `The partition ${partition} holds ${partition === 1 ? 'group' : 'groups'} ${names}: ${partition === 1 ? 'it does' : 'they do'} not go back to ${on} with the others.`,
      action: `Move the partition to 0${input.partition === undefined ? ', with it or afterwards,' : ' afterwards'} to bring ${partition === 1 ? 'it' : 'them'} back as well.`,
    },
  ];
}

function restoreStep({ to }: RollbackInput): string {
  return `The templates of leaders and workers, the size of groups and the network go back to those of ${calledTarget(to)}.`;
}

function groupSteps(input: RollbackInput): string[] {
  const { workload, to, history } = input;
  const on = calledTarget(to);
  const { items } = groupsOf(input);
  const equal = new Set(equalRevisions(history, to).map(({ id }) => id));
  const own = items.filter(({ surge }) => !surge);
  const going = own.filter(
    ({ index, revision }) => index >= partitionAfter(input) && !equal.has(revision?.id ?? ''),
  );
  const staying = own.filter(({ revision }) => equal.has(revision?.id ?? ''));
  const surplus = surgeSteps(workload, items, partitionAfter(input));
  const move = moves(input)
    ? [`The partition goes from ${partitionOf(workload)} to ${partitionAfter(input)} in the same write.`]
    : [];
  if (going.length === 0) return [...move, 'No group is replaced.', ...surplus];
  const order = going.map(({ index }) => String(index)).reverse();
  return [
    ...move,
    `${count(going.length, 'group')} (${listed(order, 6)}) ${going.length === 1 ? 'is' : 'are'} replaced as a whole, leader and workers, ${paceOf(workload)}.`,
    ...(staying.length === 0
      ? []
      : [
          `${count(staying.length, 'group')} that still ${staying.length === 1 ? 'runs' : 'run'} ${on} ${staying.length === 1 ? 'counts' : 'count'} as updated at once.`,
        ]),
    ...surplus,
  ];
}

/** Equal content always gets the same key, and always an object of its own. */
function recordStep({ history, to }: RollbackInput): string {
  const highest = history.revisions.reduce(
    (most, { source }) => Math.max(most, numberOfSource(source) ?? 0),
    0,
  );
  const known = equalRevisions(history, to).length > 0 || to.origin.kind !== 'earlierLife';
  const equals = known ? `, which equals revision ${called(to)}` : '';
  return `The controller records the template once more, as ${highest + 1}${equals}.`;
}

function truncationStep(input: RollbackInput): string {
  return partitionAfter(input) === 0
    ? 'When all groups are ready, the controller deletes every other revision; Shiplog has them in its archive.'
    : 'As long as the partition holds groups, the controller keeps the other revisions.';
}
