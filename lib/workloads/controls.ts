import { countReleased, movePods, type SettingRules, type UpdateRules } from '@/lib/engine/update';
import { formatCount } from '@/lib/format/text';
import { formatRevision } from '@/lib/history/revision';
import type { Workload } from '@/lib/history/workload';
import { formatAmount } from '@/lib/kube/amount';
import type { Json } from '@/lib/kube/json';
import { describeMoving } from '@/lib/messages/plan';
import { formatTarget } from '@/lib/messages/target';
import type { ControlInput, PlanResult } from '@/lib/workloads/kind';
import { controllingRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { checkOwners } from '@/lib/workloads/owner-checks';
import {
  kubectlCommand,
  mergePatchCommand,
  nested,
  objectName,
  patchRight,
  patchWorkload,
  pointer,
  setMember,
  testUid,
} from '@/lib/workloads/patch';
import { type Finding, type JsonPatchOperation, type Plan, refuseIf, warnIf } from '@/lib/workloads/plan';
import { checkDeleting, unlessRefused } from '@/lib/workloads/rollback-checks';
import { checkControlDuringRollout } from '@/lib/workloads/rollout-checks';

const OTHERS_STAY = 'The template, replicas and all other settings are unchanged.';

/**
 * Pauses updates of the template; scaling continues.
 * https://kubernetes.io/docs/concepts/workloads/controllers/deployment/#pausing-and-resuming-a-deployment
 */
export function planPause(rules: SettingRules, input: ControlInput): PlanResult {
  const { workload, history } = input;
  const { target, livenessUnknown } = history;
  const { isOnDelete } = rules.rollingOf(workload);
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(isPausedByPerson(rules, workload), 'already_paused', `The ${rules.title} is already paused.`),
    ...refuseIf(
      isOnDelete,
      'no_pause',
      'The update strategy is OnDelete: there is no automatic update to pause.',
    ),
    ...checkControlDuringRollout(workload, 'pause'),
  ];
  const reached =
    target === null || livenessUnknown === true
      ? ''
      : `: ${target.pods.total} of ${formatCount(rules.desiredOf(workload), 'pod')} on revision ${formatRevision(target)}`;
  const stays = ['Running pods are not affected.'];
  if (rules.resource.isCustom !== true) stays.push('The progress deadline is suspended while it is paused.');
  return unlessRefused(findings, () =>
    settingPlan(rules, workload, 'pause', true, {
      title: `Pause ${workload.name}`,
      steps: [
        `A rollout in progress stops at its current state${reached}.`,
        'Template changes are not rolled out until it is resumed. Scaling still works.',
      ],
      stays,
    }),
  );
}

export function planResume(rules: SettingRules, input: ControlInput): PlanResult {
  const { workload } = input;
  const goal = countReleased(rules, workload);
  const findings = [
    ...checkDeleting(input),
    ...(rules.rolloutPauses === true ? checkControlDuringRollout(workload, 'resume') : []),
    ...refuseIf(
      rules.rollingOf(workload).isPaused !== true,
      'not_paused',
      `The ${rules.title} is not paused.`,
    ),
  ];
  return unlessRefused(findings, () =>
    settingPlan(rules, workload, 'resume', false, {
      title: `Resume ${workload.name}`,
      steps: [
        `The rollout of ${formatTarget(input.history)} continues until ${formatCount(goal, 'pod')} ${goal === 1 ? 'runs' : 'run'} it.`,
      ],
      stays: [OTHERS_STAY],
    }),
  );
}

/**
 * Moves the partition, in the meaning of the kind: what it holds stays on its revision. `describe` says what becomes of
 * the others, and `check` what else is against it.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#partitions
 */
export function planPartition(
  rules: SettingRules,
  input: ControlInput,
  describe: (to: number) => readonly string[],
  check: readonly Finding[] = [],
): PlanResult {
  const { workload, partition: to } = input;
  const rolling = rules.rollingOf(workload);
  const current = rules.partitionOf?.(workload) ?? 0;
  const written = formatAmount(rolling.partition ?? 0);
  const share =
    typeof rolling.partition === 'string' ? `, which is ${current} of ${rules.desiredOf(workload)}` : '';
  const findings = [
    ...checkDeleting(input),
    ...refuseIf(
      rolling.isOnDelete,
      'no_partition',
      'The update strategy is OnDelete; only a rolling update has a partition.',
    ),
    ...checkPartition(rules, workload, to),
    ...check,
    ...refuseIf(to === current, 'equal_partition', `The partition is already ${written}${share}.`),
    ...checkControlDuringRollout(workload, 'partition'),
    ...warnIf(
      rolling.isPaused,
      'paused',
      'Updates are paused: the partition changes, but no pod is replaced until they are resumed.',
      'Resume afterwards.',
    ),
    ...checkOwners(workload),
  ];
  return unlessRefused(findings, () =>
    settingPlan(rules, workload, 'partition', to ?? 0, {
      title: `Set partition of ${workload.name} from ${written} to ${to ?? 0}`,
      steps: describe(to ?? 0),
      stays: [OTHERS_STAY],
    }),
  );
}

/** Undefined is no number at all. */
export function checkPartition(rules: SettingRules, workload: Workload, to: number | undefined): Finding[] {
  const desired = rules.desiredOf(workload);
  const isValid = to !== undefined && Number.isInteger(to) && to >= 0 && to <= desired;
  return refuseIf(!isValid, 'bad_partition', `The partition must be a whole number from 0 to ${desired}.`);
}

export function planPodPartition(rules: UpdateRules, input: ControlInput): PlanResult {
  return planPartition(rules, input, (to) => {
    const { workload, history } = input;
    const on = formatTarget(history);
    const move = movePods(rules, input, history.target?.id, to);
    const steps = [describeMoving(move, `updated to ${on}, ${rules.pace(workload)}`)];
    if (to > (rules.partitionOf?.(workload) ?? 0))
      steps.push(
        `Pods that already run ${on} keep running; if they are deleted, they may be recreated on the current revision.`,
      );
    return steps;
  });
}

/** Unless a Rollout did, which also resumes it. */
export function isPausedByPerson(rules: SettingRules, workload: Workload): boolean {
  const isByRollout = rules.rolloutPauses === true && controllingRolloutOf(workload) !== null;
  return rules.rollingOf(workload).isPaused === true && !isByRollout;
}

/** The write of one setting, as the commands of kubectl do it where they know the kind. */
function settingPlan(
  rules: SettingRules,
  workload: Workload,
  action: 'pause' | 'resume' | 'partition',
  value: Json,
  text: Pick<Plan, 'title' | 'steps' | 'stays'>,
): Plan {
  const { resource } = rules;
  const rolling = rules.rollingOf(workload);
  const path = [...(rolling.path ?? []), action === 'partition' ? 'partition' : 'paused'];
  const isOfKubectl = action !== 'partition' && resource.isCustom !== true;
  const removal: JsonPatchOperation[] = [
    { op: 'test', path: pointer('spec', ...path), value: true },
    { op: 'remove', path: pointer('spec', ...path) },
  ];
  const name = objectName(resource, workload.name);
  return {
    action,
    ...text,
    write: patchWorkload(resource, workload, [
      testUid(workload),
      ...(isOfKubectl && action === 'resume' ? removal : setMember(workload, path, value, rolling.created)),
    ]),
    needs: patchRight(resource, workload),
    kubectl: isOfKubectl
      ? kubectlCommand(workload.namespace, 'rollout', action, name)
      : mergePatchCommand(workload.namespace, name, { spec: nested(path, value) }),
  };
}
