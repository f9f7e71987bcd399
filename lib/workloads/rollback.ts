import {
  type Capacity,
  capacityHeld,
  capacityInSteps,
  capacityOf,
  readyCountOf,
  servingAtLeast,
} from '@/lib/engine/capacity';
import { templateDifference, type TemplateDifference } from '@/lib/engine/in-place';
import { movePods, type Mover, type PodMove, type UpdateRules, whoMoves } from '@/lib/engine/update';
import { formatCount, formatList, formatNames } from '@/lib/format/text';
import { objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import type { JsonObject } from '@/lib/kube/json';
import { describeHeld, describeRollback, formatPartition, notRolledBack } from '@/lib/messages/plan';
import type { PlanResult, RollbackInput } from '@/lib/workloads/kind';
import { activeRolloutOf } from '@/lib/workloads/kruise-rollout-metadata';
import { type Finding, informIf, refuseIf, warnIf } from '@/lib/workloads/plan';
import { checkRollback, unlessRefused } from '@/lib/workloads/rollback-checks';
import { describeNumbering, OTHER_OBJECTS_STAY, rollbackPlan } from '@/lib/workloads/rollback-plan';
import { carrierOf, formatResult, formatTarget } from '@/lib/workloads/rollback-target';
import { checkRollbackDuringRollout } from '@/lib/workloads/rollout-checks';

/** A rollback, with what it does to the pods. */
interface PodRollback {
  rules: UpdateRules;
  input: RollbackInput;
  move: PodMove;
  mover: Mover;
  /** What differs for pods that are updated in place; null where every update replaces them. */
  difference: TemplateDifference | null;
}

/**
 * Rollback of a workload whose revisions are ControllerRevisions of one pod template: it replaces the template as a
 * whole, and changes no annotation, as in kubectl.
 */
export function planPodRollback(rules: UpdateRules, input: RollbackInput): PlanResult {
  const { workload, history, to, currentTemplate, template } = input;
  const rollout = rules.rolloutMoves === undefined ? null : activeRolloutOf(workload);
  const isStable = isReturnToStable(input);
  const endsRollout = isStable === true && input.rollsBackInSteps !== true;
  const { inPlace = 'never' } = rules.rollingOf(workload);
  const carrier = carrierOf(history, to);
  const rollback: PodRollback = {
    rules,
    input,
    move: movePods(rules, input, carrier?.id),
    mover: whoMoves(rules, workload, rollout, endsRollout),
    difference: inPlace === 'never' ? null : templateDifference(currentTemplate, template),
  };
  const findings = [
    ...checkInPlaceOnly(rollback, inPlace === 'only'),
    ...checkRollback(input),
    ...checkRollbackDuringRollout(input, isStable),
    ...(rules.hasClaims === true ? checkClaimTemplates(input) : []),
    ...(rollout !== null && isStable === true ? [] : checkHeldPods(rollback)),
    ...checkOrder(rollback),
    ...checkEncoding(input),
  ];
  return unlessRefused(findings, () =>
    rollbackPlan(rules.resource, input, {
      steps: [
        ...describeRollback(rollback, formatResult(input), rules.pace(workload)),
        describeNumbering(input, carrier),
      ],
      stays: describeUnchanged(rollback),
      kubectl: rules.undo,
      capacity: capacity(rollback),
    }),
  );
}

/** Whether a rollout of a Rollout would have started from the target revision; null where that is unknown. */
function isReturnToStable({ history, to }: RollbackInput): boolean | null {
  const current = history.revisions.find((revision) => revision.current);
  if (current === undefined) return null;
  return !current.target && carrierOf(history, to)?.id === current.id;
}

/** The webhook of Kruise accepts only new images there, and the controller creates no new pod. */
function checkInPlaceOnly({ input, difference }: PodRollback, isInPlaceOnly: boolean): Finding[] {
  return refuseIf(
    isInPlaceOnly && difference?.kind === 'more',
    'in_place_only',
    `${input.workload.name} updates pods in place only, but revision ${formatTarget(input.to)} changes more than images, labels and annotations: no running pod can be updated.`,
    'Set the update strategy to InPlaceIfPossible or ReCreate first, or choose another revision.',
  );
}

/**
 * Containers mount the claims of the set by the names of its claim templates, which no revision records: a
 * recreated set may have others, and the API server does not check.
 * https://kubernetes.io/docs/concepts/workloads/controllers/statefulset/#volume-claim-templates
 */
function checkClaimTemplates({ workload, template, to }: RollbackInput): Finding[] {
  const spec = objectAt(template, 'spec');
  const known = new Set([
    ...objectsAt(spec, 'volumes').map((volume) => textAt(volume, 'name')),
    ...objectsAt(workload.spec, 'volumeClaimTemplates').map((claim) => textAt(claim, 'metadata', 'name')),
  ]);
  const used = ['initContainers', 'containers']
    .flatMap((list) => objectsAt(spec, list))
    .flatMap((container) => [
      ...objectsAt(container, 'volumeMounts'),
      ...objectsAt(container, 'volumeDevices'),
    ])
    .flatMap((mount) => textAt(mount, 'name') ?? []);
  const missing = [...new Set(used)].filter((name) => !known.has(name));
  return refuseIf(
    missing.length > 0,
    'missing_claim_template',
    `The template of revision ${formatTarget(to)} mounts ${formatList(missing, 6)}, but ${workload.name} has no such volume or volume claim template: no pod could be created.`,
    'Choose another revision, or recreate the StatefulSet with that claim template.',
  );
}

/** Everything that keeps pods on their revision although the template is rolled back. */
function checkHeldPods({ rules, input, move, mover }: PodRollback): Finding[] {
  const { workload } = input;
  const rolling = rules.rollingOf(workload);
  const { others, held } = move;
  const on = formatResult(input);
  const otherHold = rules.otherHoldOf?.(workload) ?? null;
  const pods = formatCount(others.length, 'pod');
  const who =
    held.names === null ? `${held.number} of ${pods} on other revisions` : formatList(held.names, 6);
  return [
    ...warnIf(
      rolling.isPaused,
      'paused',
      `Updates of ${workload.name} are paused: the template is rolled back, but no pod is replaced until it is resumed.`,
      'Resume it after the rollback. Resuming it first would continue the current update.',
    ),
    ...warnIf(
      mover.by === 'deletion' && others.length > 0,
      'on_delete',
      `The update strategy is OnDelete: no pod restarts automatically. Delete ${pods} to run revision ${on}.`,
      `Delete ${formatNames(others)} afterwards, one at a time.`,
    ),
    ...warnIf(
      otherHold !== null && rolling.isOnDelete !== true && others.length > 0,
      'selector_holds',
      `The ${otherHold ?? ''} limits the update to some nodes: pods on other nodes are not rolled back to revision ${on}.`,
      'Remove the selector afterwards to roll back all pods.',
    ),
    ...warnIf(
      held.number > 0,
      'partition_holds',
      describeHeld(rolling, who, held.number, notRolledBack(on)),
      `Set the partition to 0 afterwards to roll ${held.number === 1 ? 'it' : 'them'} back too.`,
    ),
  ];
}

function checkOrder({ move: { blocking } }: PodRollback): Finding[] {
  const name = blocking?.name ?? '';
  return warnIf(
    blocking !== null,
    'ordered_stuck',
    `Pod ${name} is not ready and blocks the rollback: an ordered update waits for it instead of replacing it.`,
    `Delete ${name} after the rollback.`,
  );
}

/**
 * Kubernetes 1.34 dropped an empty member from recorded templates. The API server serializes an older
 * revision anew, and then it equals no recorded one. https://github.com/kubernetes/kubernetes/issues/134773
 */
function checkEncoding({ currentTemplate, template, to }: RollbackInput): Finding[] {
  const isOlder = (value: JsonObject) => valueAt(value, 'metadata', 'creationTimestamp') !== undefined;
  return informIf(
    isOlder(template) && !isOlder(currentTemplate),
    'older_encoding',
    `Revision ${formatTarget(to)} was recorded by a Kubernetes version before 1.34; an equivalent new revision may appear next to it.`,
  );
}

function capacity({ rules, input, move, mover, difference }: PodRollback): Capacity {
  const { workload, pods } = input;
  const others = move.others.length;
  if (mover.by === 'deletion') return capacityHeld(others, 'to delete (OnDelete)');
  if (mover.by === 'resume') return capacityHeld(others, 'held by the pause');
  if (mover.by === 'rollout' && !mover.ends) return capacityInSteps(`Rollout ${mover.rollout}`);
  const ready = readyCountOf(pods);
  const unavailable = rules.unavailableOf(workload);
  const held = mover.by === 'rollout' ? 0 : move.held.number;
  return capacityOf({
    replaced: Math.max(0, others - held),
    verb: difference === null || difference.kind === 'more' ? 'replaced' : 'updated in place',
    held: { count: held, by: `held by ${formatPartition(rules.rollingOf(workload)) ?? 'the partition'}` },
    serving:
      rules.ignoresUnready?.(workload) === true
        ? Math.max(0, ready - unavailable)
        : servingAtLeast(ready, rules.desiredOf(workload), unavailable),
  });
}

function describeUnchanged({ rules, input: { workload } }: PodRollback): string[] {
  const desired = rules.desiredOf(workload);
  const settings =
    rules.partitionOf === undefined ? 'update strategy is' : 'update strategy and its partition are';
  const stays = [
    rules.unit === 'node'
      ? `The template selects the nodes, ${desired} now. The ${settings} unchanged.`
      : `Replicas (${desired}) are unchanged. The ${settings} unchanged.`,
    'Labels and annotations are unchanged, including kubernetes.io/change-cause.',
    OTHER_OBJECTS_STAY,
  ];
  if (rules.hasClaims === true)
    stays.push('Volume claim templates, claims and their data are not rolled back.');
  return stays;
}
