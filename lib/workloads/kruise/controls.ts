import { isActive } from '@/lib/history/assemble';
import type { Json } from '@/lib/kube/json';
import { formatAmount } from '@/lib/kube/amount';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { checkControlDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import { formatPartition } from '@/lib/workloads/kruise/rolling';
import type { KruiseRules } from '@/lib/workloads/kruise/rules';
import { checkOwners } from '@/lib/workloads/owner-checks';
import { planPartitionMove } from '@/lib/workloads/partition-plan';
import {
  patchRight,
  patchWorkload,
  pointer,
  setTested,
  testUid,
  mergePatchCommand,
  nested,
} from '@/lib/workloads/patch';
import type { Finding, JsonPatchOperation } from '@/lib/workloads/plan';
import type { PodSummary } from '@/lib/history/pod';
import { objectAt, valueAt } from '@/lib/kube/read';
import { checkRestart, restartPatch, restartWaitsForDeletion } from '@/lib/workloads/restart';
import { checkDeleting, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { RESTARTED_AT } from '@/lib/workloads/template-facts';
import { formatCount, formatNames } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';

/** Pauses updates of the template; scaling continues. */
export function planKruisePause(rules: KruiseRules, input: ControlInput): PlanResult {
  const { workload, history } = input;
  const rolling = rules.rollingOf(workload);
  const { target } = history;
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(rolling.isPaused, 'already_paused', `The ${rules.title} is already paused.`),
    ...refuseIf(
      rolling.isOnDelete,
      'no_pause',
      'The update strategy is OnDelete: there is no automatic update to pause.',
    ),
    ...checkControlDuringRollout(workload, 'pause'),
  ];
  return unlessRefused(findings, () => ({
    action: 'pause',
    title: `Pause ${workload.name}`,
    write: patchWorkload(rules.resource, workload, [
      testUid(workload),
      ...setStrategyMember(rules, workload, 'paused', true),
    ]),
    needs: patchRight(rules.resource, workload),
    steps: [
      target === null
        ? 'No update starts until the workload is resumed.'
        : `An update in progress stops at its current state: ${target.pods.total} of ${formatCount(rules.desiredOf(workload), 'pod')} on revision ${formatRevision(target)}.`,
      'Template changes are recorded but not rolled out until it is resumed. Scaling still works.',
    ],
    stays: ['Running pods are not affected.'],
    kubectl: strategyCommand(rules, workload, 'paused', true),
  }));
}

export function planKruiseResume(rules: KruiseRules, input: ControlInput): PlanResult {
  const { workload, history } = input;
  const { target } = history;
  const updateGoal = rules.desiredOf(workload) - rules.heldCountOf(workload);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(!rules.rollingOf(workload).isPaused, 'not_paused', `The ${rules.title} is not paused.`),
  ];
  return unlessRefused(findings, () => ({
    action: 'resume',
    title: `Resume ${workload.name}`,
    write: patchWorkload(rules.resource, workload, [
      testUid(workload),
      ...setStrategyMember(rules, workload, 'paused', false),
    ]),
    needs: patchRight(rules.resource, workload),
    steps: [
      target === null
        ? 'The current template is recorded and rolled out.'
        : `The update to revision ${formatRevision(target)} continues until ${formatCount(Math.max(0, updateGoal), 'pod')} ${updateGoal === 1 ? 'runs' : 'run'} it.`,
    ],
    stays: ['The template, replicas, partition and all other settings are unchanged.'],
    kubectl: strategyCommand(rules, workload, 'paused', false),
  }));
}

/** Moves the partition, in the meaning of the kind. */
export function planKruisePartition(rules: KruiseRules, input: ControlInput): PlanResult {
  const { workload, partition } = input;
  const desired = rules.desiredOf(workload);
  const rolling = rules.rollingOf(workload);
  const current = rules.partitionOf(workload);
  const isValid =
    partition !== undefined && Number.isInteger(partition) && partition >= 0 && partition <= desired;
  const writtenPartition = rolling.partition ?? 0;
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      rolling.isOnDelete,
      'no_partition',
      'The update strategy is OnDelete; only a rolling update has a partition.',
    ),
    ...refuseIf(!isValid, 'bad_partition', `The partition must be a whole number from 0 to ${desired}.`),
    ...refuseIf(
      partition === current,
      'equal_partition',
      typeof writtenPartition === 'string'
        ? `The partition is already ${formatAmount(writtenPartition)}, which is ${current} of ${desired}.`
        : `The partition is already ${current}.`,
    ),
    ...checkControlDuringRollout(workload, 'partition'),
    ...checkPaused(rolling.isPaused),
    ...checkOwners(workload),
  ];
  return unlessRefused(findings, () => {
    const to = partition ?? 0;
    return planPartitionMove(rules.resource, workload, {
      from: formatAmount(writtenPartition),
      to,
      operations: setStrategyMember(rules, workload, 'partition', to),
      steps: describePartitionMove(rules, input, to),
      kubectl: strategyCommand(rules, workload, 'partition', to),
    });
  });
}

export interface RestartOptions {
  /** Annotation of the template for the time of the restart. */
  annotation: string;
  kubectl: string;
}

/**
 * `kubectl-kruise rollout restart` knows only some of the kinds; for the others the annotation of kubectl
 * creates a new revision in the same way.
 */
export function planKruiseRestart(
  rules: KruiseRules,
  input: ControlInput,
  options?: RestartOptions,
): PlanResult {
  const { workload, pods } = input;
  const rolling = rules.rollingOf(workload);
  const annotation = options?.annotation ?? RESTARTED_AT;
  const findings: Finding[] = [
    ...checkDeleting(input),
    ...refuseIf(
      rolling.inPlace !== 'never',
      'in_place_restart',
      `${workload.name} updates pods in place: the restart annotation would be added without restarting any container.`,
      'Delete the pods one at a time, or use an OpenKruise ContainerRecreateRequest.',
    ),
    ...refuseIf(
      rolling.isPaused,
      'paused',
      `The ${rules.title} is paused: a restart has no effect until it is resumed.`,
      'Resume it first.',
    ),
    ...checkRestart(input, annotation),
    ...checkControlDuringRollout(workload, 'restart'),
    ...checkOwners(workload),
  ];
  const active = pods.filter(isActive);
  const heldCount = rolling.isOnDelete
    ? 0
    : rules.heldPodsOf(workload, active, rules.partitionOf(workload)).number;
  if (rolling.isOnDelete) {
    findings.push(restartWaitsForDeletion);
  } else if (heldCount > 0) {
    findings.push({
      severity: 'warning',
      code: 'partition_holds',
      message: `The ${formatPartition(rolling) ?? 'partition'} holds ${formatCount(heldCount, 'pod')}: ${heldCount === 1 ? 'it does' : 'they do'} not restart.`,
      action: 'Set the partition to 0 to restart all pods.',
    });
  }
  const restarting = Math.max(0, rules.desiredOf(workload) - rules.heldCountOf(workload));
  return unlessRefused(findings, () => ({
    action: 'restart',
    title: `Restart ${workload.name}`,
    write: patchWorkload(rules.resource, workload, restartPatch(input, annotation)),
    needs: patchRight(rules.resource, workload),
    steps: [
      rolling.isOnDelete
        ? 'Pods restart only when you delete them.'
        : `${formatCount(restarting, 'pod')} ${restarting === 1 ? 'is' : 'are'} replaced, ${rules.pace(workload)}.`,
      'A new revision is recorded in which only the restart time differs.',
    ],
    stays: ['Only the restart annotation of the template changes.'],
    kubectl: options?.kubectl ?? restartCommand(rules, input),
  }));
}

function checkPaused(isPaused: boolean): Finding[] {
  if (!isPaused) return [];
  return [
    {
      severity: 'warning',
      code: 'paused',
      message: 'Updates are paused: the partition changes, but no pod is replaced until they are resumed.',
      action: 'Resume afterwards.',
    },
  ];
}

function describePartitionMove(
  rules: KruiseRules,
  { workload, history, pods }: ControlInput,
  to: number,
): string[] {
  const { target } = history;
  const on = target === null ? 'the current template' : `revision ${formatRevision(target)}`;
  const isOn = (pod: PodSummary) => history.revisionOfPod.get(pod.uid)?.id === target?.id;
  const active = pods.filter(isActive);
  const others = active.filter((pod) => !isOn(pod));
  const held = rules.heldPodsOf(workload, others, to);
  const movingCount = others.length - held.number;
  const { pods: heldPods } = held;
  const movingPods = heldPods === null ? [] : others.filter((pod) => !heldPods.includes(pod));
  const who =
    heldPods === null
      ? formatCount(movingCount, 'pod')
      : `${formatCount(movingCount, 'pod')} (${formatNames(movingPods)})`;
  const steps =
    movingCount <= 0
      ? ['No pod changes now.']
      : [`${who} ${movingCount === 1 ? 'is' : 'are'} updated to ${on}, ${rules.pace(workload)}.`];
  if (to > rules.partitionOf(workload))
    steps.push(
      `Pods that already run ${on} keep running; if they are deleted, they may be recreated on the current revision.`,
    );
  return steps;
}

/** Sets one member of the object with the update strategy, and creates that object where it is missing. */
function setStrategyMember(
  rules: KruiseRules,
  workload: Workload,
  member: string,
  value: Json,
): JsonPatchOperation[] {
  const { path: strategyPath } = rules.rollingOf(workload);
  const missing = strategyPath.findIndex(
    (_, index) => objectAt(workload.spec, ...strategyPath.slice(0, index + 1)) === undefined,
  );
  if (missing === -1)
    return setTested(
      pointer('spec', ...strategyPath, member),
      valueAt(workload.spec, ...strategyPath, member),
      value,
    );
  const path = pointer('spec', ...strategyPath.slice(0, missing + 1));
  return setTested(path, undefined, nested([...strategyPath.slice(missing + 1), member], value));
}

function strategyCommand(rules: KruiseRules, workload: Workload, member: string, value: Json): string {
  return mergePatchCommand(workload.namespace, objectName(rules, workload), {
    spec: nested([...rules.rollingOf(workload).path, member], value),
  });
}

function restartCommand(rules: KruiseRules, { workload, now }: ControlInput): string {
  return mergePatchCommand(workload.namespace, objectName(rules, workload), {
    spec: { template: { metadata: { annotations: { [RESTARTED_AT]: now } } } },
  });
}

/** Qualified by its group: the short names mean the kinds of Kubernetes. */
function objectName({ resource }: KruiseRules, { name }: Workload): string {
  return `${resource.id}/${name}`;
}
