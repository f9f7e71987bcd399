import { isActive } from '@/lib/history/assemble';
import {
  type Capacity,
  capacityHeld,
  capacityInSteps,
  capacityOf,
  readyCountOf,
  servingAtLeast,
} from '@/lib/workloads/capacity';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { templateDifference, type TemplateDifference } from '@/lib/workloads/kruise/in-place';
import { checkRollbackDuringRollout } from '@/lib/workloads/kruise/rollout-checks';
import { formatPartition } from '@/lib/workloads/kruise/rolling';
import { activeRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import type { KruiseRules } from '@/lib/workloads/kruise/rules';
import type { Finding } from '@/lib/workloads/plan';
import type { PodSummary } from '@/lib/history/pod';
import { checkPodsToDelete, checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import {
  checkEncoding,
  describeNumbering,
  OTHER_OBJECTS_STAY,
  rollbackPlan,
} from '@/lib/workloads/rollback-plan';
import { formatResult, formatTarget, carrierOf } from '@/lib/workloads/rollback-target';
import { capitalize, formatCount, formatList, formatNames } from '@/lib/format/text';

/** What one kind adds to the common plan. */
export interface KindAdditions {
  findings?: readonly Finding[];
  stays?: readonly string[];
}

/**
 * Rollback of a workload of OpenKruise: it replaces the complete template. `kubectl-kruise rollout undo`
 * merges it into the current one instead, which keeps later keys, leaves the directive `$patch` behind and
 * records another revision.
 */
export function planKruiseRollback(
  rules: KruiseRules,
  input: RollbackInput,
  own: KindAdditions = {},
): PlanResult {
  const isStable = isReturnToStable(rules, input);
  const findings = [
    ...checkInPlaceOnly(rules, input),
    ...checkRollback(input),
    ...checkRollbackDuringRollout(input, isStable),
    ...(own.findings ?? []),
    ...(isStable === true && activeRolloutOf(input.workload) !== null ? [] : checkHeldPods(rules, input)),
    ...checkOrder(rules, input),
    ...checkEncoding(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(rules.resource, input, {
      steps: [
        ...describePodChanges(rules, input, isStable),
        describeNumbering(input, carrierOf(input.history, input.to)),
      ],
      stays: [
        `${rules.unit === 'node' ? 'Nodes' : 'Replicas'} (${rules.desiredOf(input.workload)}), the update strategy and its partition are unchanged.`,
        ...(own.stays ?? []),
        'Labels and annotations are unchanged, including kubernetes.io/change-cause.',
        OTHER_OBJECTS_STAY,
      ],
      kubectl:
        '# kubectl-kruise rollout undo gives another result: it merges, keeps later keys and leaves $patch in the template',
      capacity: capacity(rules, input, isStable),
    }),
  );
}

/** Whether a rollout of a Rollout would have started from the target revision; null where that is unknown. */
function isReturnToStable(rules: KruiseRules, { history, to }: RollbackInput): boolean | null {
  // A kind that counts nodes has no current revision: every rollback is another rollout.
  if (rules.unit === 'node') return false;
  const current = history.revisions.find((revision) => revision.current);
  if (current === undefined) return null;
  return !current.target && carrierOf(history, to)?.id === current.id;
}

/** The webhook of Kruise accepts only new images there, and the controller creates no new pod. */
function checkInPlaceOnly(
  rules: KruiseRules,
  { workload, currentTemplate, template, to }: RollbackInput,
): Finding[] {
  const isRefused =
    rules.rollingOf(workload).inPlace === 'only' &&
    templateDifference(currentTemplate, template).kind === 'more';
  return refuseIf(
    isRefused,
    'in_place_only',
    `${workload.name} updates pods in place only, but revision ${formatTarget(to)} changes more than images, labels and annotations: no running pod can be updated.`,
    'Set the update strategy to InPlaceIfPossible or ReCreate first, or choose another revision.',
  );
}

/** Everything that keeps pods on their revision although the template is rolled back. */
function checkHeldPods(rules: KruiseRules, input: RollbackInput): Finding[] {
  const { workload } = input;
  const rolling = rules.rollingOf(workload);
  const others = otherPods(input);
  const on = formatResult(input);
  const findings: Finding[] = [];
  if (rolling.isPaused) {
    findings.push({
      severity: 'warning',
      code: 'paused',
      message: `Updates of ${workload.name} are paused: the template is rolled back, but no pod is replaced until it is resumed.`,
      action: 'Resume it after the rollback. Resuming it first would continue the current update.',
    });
  }
  if (rolling.isOnDelete) findings.push(...checkPodsToDelete(input, others));
  const otherHold = rules.otherHoldOf(workload);
  if (otherHold !== null && !rolling.isOnDelete && others.length > 0) {
    findings.push({
      severity: 'warning',
      code: 'selector_holds',
      message: `The ${otherHold} limits the update to some nodes: pods on other nodes are not rolled back to revision ${on}.`,
      action: 'Remove the selector afterwards to roll back all pods.',
    });
  }
  return [...findings, ...checkPartition(rules, input, others)];
}

function checkPartition(rules: KruiseRules, input: RollbackInput, others: readonly PodSummary[]): Finding[] {
  const { workload } = input;
  const { number, pods } = heldPodsOf(rules, workload, others);
  if (number === 0) return [];
  const partition = formatPartition(rules.rollingOf(workload)) ?? 'partition';
  const who =
    pods !== null
      ? formatNames(pods)
      : `${number} of ${formatCount(others.length, 'pod')} on other revisions`;
  const isOne = number === 1;
  return [
    {
      severity: 'warning',
      code: 'partition_holds',
      message: `${capitalize(partition)} holds ${who}: ${isOne ? 'it is' : 'they are'} not rolled back to revision ${formatResult(input)}.`,
      action: `Set the partition to 0 afterwards to roll ${isOne ? 'it' : 'them'} back too.`,
    },
  ];
}

function checkOrder(rules: KruiseRules, input: RollbackInput): Finding[] {
  const pod = rules.findBlockingPod(input.workload, otherPods(input), input.pods);
  if (pod === null) return [];
  return [
    {
      severity: 'warning',
      code: 'ordered_stuck',
      message: `Pod ${pod.name} is not ready and blocks the rollback: an ordered update waits for it instead of replacing it.`,
      action: `Delete ${pod.name} after the rollback.`,
    },
  ];
}

function heldPodsOf(rules: KruiseRules, workload: RollbackInput['workload'], others: readonly PodSummary[]) {
  const { isOnDelete, partition } = rules.rollingOf(workload);
  if (isOnDelete || partition === undefined) return { number: 0, pods: [] };
  return rules.heldPodsOf(workload, others, rules.partitionOf(workload));
}

/** Active pods that do not run the target of the rollback. */
function otherPods({ history, pods, to }: RollbackInput): PodSummary[] {
  const id = carrierOf(history, to)?.id ?? '';
  return pods.filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id !== id);
}

function capacity(rules: KruiseRules, input: RollbackInput, isStable: boolean | null): Capacity {
  const { workload, currentTemplate, template } = input;
  const rolling = rules.rollingOf(workload);
  const others = otherPods(input).length;
  if (rolling.isOnDelete) return capacityHeld(others, 'to delete (OnDelete)');
  const rollout = activeRolloutOf(workload);
  const endsRollout = rollout !== null && isStable === true && input.rollsBackInSteps !== true;
  if (rollout !== null && !endsRollout) return capacityInSteps(`Rollout ${rollout}`);
  if (rolling.isPaused && !endsRollout) return capacityHeld(others, 'held by the pause');
  const held = endsRollout ? 0 : heldPodsOf(rules, workload, otherPods(input)).number;
  const isInPlace =
    rolling.inPlace !== 'never' && templateDifference(currentTemplate, template).kind !== 'more';
  return capacityOf({
    replaced: Math.max(0, others - held),
    ...(isInPlace && { verb: 'updated in place' }),
    held: { count: held, by: `held by ${formatPartition(rolling) ?? 'the partition'}` },
    serving: servingAtLeast(
      readyCountOf(input.pods),
      rules.desiredOf(workload),
      rules.unavailableOf(workload),
    ),
  });
}

function describePodChanges(rules: KruiseRules, input: RollbackInput, isStable: boolean | null): string[] {
  const { workload, currentTemplate, template } = input;
  const rolling = rules.rollingOf(workload);
  const on = formatResult(input);
  const rollout = activeRolloutOf(workload);
  const others = otherPods(input);
  if (rolling.isOnDelete) return [`No pod restarts. Pods that you delete are recreated with revision ${on}.`];
  if (rollout !== null && isStable === true && input.rollsBackInSteps !== true) {
    return [
      `Rollout ${rollout} ends, removes the partition and rolls ${formatCount(others.length, 'pod')} back to revision ${on}.`,
    ];
  }
  if (rollout !== null)
    return [`Rollout ${rollout} holds all pods and starts a rollout of revision ${on} with its first step.`];
  if (rolling.isPaused) return ['No pod changes until the workload is resumed.'];
  const movingCount = others.length - heldPodsOf(rules, workload, others).number;
  if (movingCount <= 0) return ['No pod changes.'];
  const untouched = input.pods.filter(isActive).length - movingCount;
  const blocking = rules.findBlockingPod(workload, others, input.pods);
  return [
    ...(blocking === null ? [] : [`No pod is replaced until ${blocking.name} is ready or deleted.`]),
    describeMove(rules, input, movingCount, templateDifference(currentTemplate, template)),
    ...(untouched === 0
      ? []
      : [`${formatCount(untouched, 'other pod')} ${untouched === 1 ? 'keeps' : 'keep'} running.`]),
  ];
}

function describeMove(
  rules: KruiseRules,
  input: RollbackInput,
  movingCount: number,
  by: TemplateDifference,
): string {
  const { workload } = input;
  const on = formatResult(input);
  const pods = formatCount(movingCount, 'pod');
  const [is, they] = movingCount === 1 ? ['is', 'it keeps its'] : ['are', 'they keep their'];
  const pace = rules.pace(workload);
  const replaced = `${pods} ${is} replaced by pods of revision ${on}, ${pace}.`;
  if (rules.rollingOf(workload).inPlace === 'never') return replaced;
  switch (by.kind) {
    case 'none':
    case 'metadata':
      return `${pods} ${is} updated in place, ${pace}: labels and annotations change, no container restarts.`;
    case 'images':
      return `${pods} ${is} updated in place, ${pace}: ${formatList(by.containers, 6)} ${by.containers.length === 1 ? 'restarts' : 'restart'} with the image of revision ${on}; ${they} name, node and IP address.`;
    case 'more':
      return `${replaced} An in-place update is not possible: more than images changes.`;
    default:
      return by satisfies never;
  }
}
