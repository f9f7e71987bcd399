import { isActive } from '@/lib/history/assemble';
import { type PlanResult, type RollbackInput } from '@/lib/workloads/kind';
import { templateDifference, type TemplateDifference } from '@/lib/workloads/kruise/in-place';
import { checkRollbackDuringRelease } from '@/lib/workloads/kruise/release-checks';
import { formatPartition } from '@/lib/workloads/kruise/rolling';
import { activeRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { type KruiseRules } from '@/lib/workloads/kruise/rules';
import { type Finding } from '@/lib/workloads/plan';
import { type PodSummary } from '@/lib/history/pod';
import { checkRollback, refuseIf, unlessRefused } from '@/lib/workloads/rollback-checks';
import { checkEncoding, describeNumbering, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { formatTarget, carrierOf } from '@/lib/workloads/rollback-target';
import { formatCount, formatList } from '@/lib/format/text';

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
    ...checkRollbackDuringRelease(input, isStable),
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
        `${formatCount(rules.desiredOf(input.workload), rules.unit === 'node' ? 'node' : 'replica')} wanted, the update strategy and its partition stay.`,
        ...(own.stays ?? []),
        'Labels and annotations stay, the change-cause among them.',
        'ConfigMaps, Secrets, Services and the ServiceAccount stay as they are now; they have no history.',
      ],
      kubectl:
        '# kubectl-kruise rollout undo does not do the same: it merges, keeps later keys and leaves $patch in the template',
    }),
  );
}

/** Whether a release of a Rollout would have started from the target revision; null where that is unknown. */
function isReturnToStable(rules: KruiseRules, { history, to }: RollbackInput): boolean | null {
  // A kind that counts nodes has no current revision: every rollback is another release.
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
    `${workload.name} updates its pods in place only, and revision ${formatTarget(to)} differs from the present template by more than images, labels and annotations: no running pod can take it.`,
    'Let the update strategy re-create pods (InPlaceIfPossible or ReCreate) first, or choose another revision.',
  );
}

/** Everything that keeps pods on their revision although the template is rolled back. */
function checkHeldPods(rules: KruiseRules, input: RollbackInput): Finding[] {
  const { workload, to } = input;
  const rolling = rules.rollingOf(workload);
  const others = otherPods(input);
  const on = formatTarget(to);
  const findings: Finding[] = [];
  if (rolling.isPaused) {
    findings.push({
      severity: 'warning',
      code: 'paused',
      message: `Updates of ${workload.name} are paused: its template goes back, and no pod does until it is resumed.`,
      action: 'Resume it afterwards. Resumed before, it would first go on with the present template.',
    });
  }
  if (rolling.isOnDelete && others.length > 0) {
    findings.push({
      severity: 'warning',
      code: 'on_delete',
      message: `The strategy is OnDelete: nothing restarts by itself. ${formatCount(others.length, 'pod')} must be deleted to run ${on}.`,
      action: `Delete ${formatPodNames(others)} afterwards, one at a time.`,
    });
  }
  const otherHold = rules.otherHoldOf(workload);
  if (otherHold !== null && !rolling.isOnDelete && others.length > 0) {
    findings.push({
      severity: 'warning',
      code: 'selector_holds',
      message: `The ${otherHold} lets only some pods go: those of other nodes do not return to ${on}.`,
      action: 'Take the selector away as a step of its own to bring all pods back.',
    });
  }
  return [...findings, ...checkPartition(rules, input, others)];
}

function checkPartition(
  rules: KruiseRules,
  { workload, to }: RollbackInput,
  others: readonly PodSummary[],
): Finding[] {
  const { number, pods } = heldPodsOf(rules, workload, others);
  if (number === 0) return [];
  const partition = formatPartition(rules.rollingOf(workload)) ?? 'partition';
  const who =
    pods !== null
      ? formatPodNames(pods)
      : `${number} of the ${formatCount(others.length, 'pod')} that run another revision`;
  const isOne = number === 1;
  return [
    {
      severity: 'warning',
      code: 'partition_holds',
      message: `The ${partition} holds ${who}: ${isOne ? 'it does' : 'they do'} not return to ${formatTarget(to)} and ${isOne ? 'goes' : 'go'} on with what ${isOne ? 'it runs' : 'they run'} now.`,
      action: `Move the partition to 0 as a step of its own to bring ${isOne ? 'it' : 'them'} back as well.`,
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
      message: `${pod.name} is not ready, and an ordered update waits for it instead of replacing it: the rollback alone does not heal it.`,
      action: `After the rollback, delete ${pod.name} as a second step.`,
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
  const id = carrierOf(history, to)?.id ?? to.id;
  return pods.filter((pod) => isActive(pod) && history.revisionOfPod.get(pod.uid)?.id !== id);
}

function describePodChanges(rules: KruiseRules, input: RollbackInput, isStable: boolean | null): string[] {
  const { workload, to, currentTemplate, template } = input;
  const rolling = rules.rollingOf(workload);
  const on = formatTarget(to);
  const rollout = activeRolloutOf(workload);
  const others = otherPods(input);
  if (rolling.isOnDelete) return [`No pod restarts; a pod that is deleted comes back on ${on}.`];
  if (rollout !== null && isStable === true && input.rollsBackInSteps !== true) {
    return [
      `Rollout ${rollout} ends its release, takes the partition away and brings ${formatCount(others.length, 'pod')} back to revision ${on}.`,
    ];
  }
  if (rollout !== null)
    return [`Rollout ${rollout} holds all pods and begins a release of revision ${on} with its first step.`];
  if (rolling.isPaused) return ['No pod changes until it is resumed.'];
  const movingCount = others.length - heldPodsOf(rules, workload, others).number;
  if (movingCount <= 0) return ['No pod changes.'];
  const untouched = input.pods.filter(isActive).length - movingCount;
  const blocking = rules.findBlockingPod(workload, others, input.pods);
  return [
    ...(blocking === null ? [] : [`Nothing is replaced before ${blocking.name} is ready or deleted.`]),
    describeMove(rules, input, movingCount, templateDifference(currentTemplate, template)),
    ...(untouched === 0
      ? []
      : [`${formatCount(untouched, 'other pod')} ${untouched === 1 ? 'is' : 'are'} not touched.`]),
  ];
}

function describeMove(
  rules: KruiseRules,
  { workload, to }: RollbackInput,
  movingCount: number,
  by: TemplateDifference,
): string {
  const on = formatTarget(to);
  const pods = formatCount(movingCount, 'pod');
  const [is, they] = movingCount === 1 ? ['is', 'it keeps its'] : ['are', 'they keep their'];
  const pace = rules.pace(workload);
  const replaced = `${pods} ${is} replaced by pods of ${on}, ${pace}.`;
  if (rules.rollingOf(workload).inPlace === 'never') return replaced;
  switch (by.kind) {
    case 'none':
    case 'metadata':
      return `${pods} ${is} updated in place, ${pace}: labels and annotations change, and no container restarts.`;
    case 'images':
      return `${pods} ${is} updated in place, ${pace}: ${formatList(by.containers, 6)} ${by.containers.length === 1 ? 'restarts' : 'restart'} with the image of ${on}; ${they} name, node and address.`;
    case 'more':
      return `${replaced} More than images differs, so no pod can be updated in place.`;
    default:
      return by satisfies never;
  }
}

function formatPodNames(pods: readonly PodSummary[]): string {
  return formatList(
    pods.map(({ name }) => name),
    6,
  );
}
