import { argoStrategyOf, replicasOf } from '@/lib/workloads/argo-rollout/spec';
import { WORKLOAD_GENERATION } from '@/lib/workloads/argo-rollout/resource';
import { cutLine } from '@/lib/format/message-line';
import { conditionAt, numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';
import type { Workload } from '@/lib/history/workload';

type ArgoPhase = 'Healthy' | 'Degraded' | 'Progressing' | 'Paused';

interface PhaseReading {
  /** One of {@link ArgoPhase}, or a word that Shiplog does not know. */
  phase: string;
  message: string | null;
  /** The controller has not read the last change yet. */
  isBehind: boolean;
}

type ArgoObject = Pick<Workload, 'generation' | 'annotations' | 'spec' | 'status'>;

/**
 * The phase as `kubectl argo rollouts` derives it: the status counts only once the controller has read the
 * spec.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/rollout/rolloututil.go (GetRolloutPhase)
 */
export function phaseOf(object: ArgoObject): PhaseReading {
  const { status } = object;
  const behindSpec = (message: string): PhaseReading => ({ phase: 'Progressing', message, isBehind: true });
  if (!isGenerationObserved(object)) return behindSpec('waiting for rollout spec update to be observed');
  if (status.controllerPause === true && pauseConditionsOf(object).length === 0)
    return { phase: 'Progressing', message: 'waiting for rollout to unpause', isBehind: false };
  if (!isReferenceObserved(object))
    return behindSpec('waiting for rollout spec update to be observed for the reference workload');
  const phase = textAt(status, 'phase') ?? '';
  if (phase !== '') return { phase, message: textAt(status, 'message') ?? null, isBehind: false };
  return { ...computedPhase(object), isBehind: false };
}

/** In objects of v0.9 the number is a text that may be no number, or one of a separate count. */
export function isGenerationObserved({
  generation,
  status,
}: Pick<ArgoObject, 'generation' | 'status'>): boolean {
  const observed = observedNumber(status.observedGeneration);
  return observed === null ? status.observedGeneration !== undefined : observed >= generation;
}

/** Whether the controller has observed the spec, and the template where another object holds it. */
export function isSpecObserved(object: ArgoObject): boolean {
  return isGenerationObserved(object) && isReferenceObserved(object);
}

/** The generation that the controller has observed; null before the first. */
export function observedGenerationOf(object: Pick<ArgoObject, 'generation' | 'status'>): number | null {
  if (object.status.observedGeneration === undefined) return null;
  return isGenerationObserved(object)
    ? object.generation
    : (observedNumber(object.status.observedGeneration) ?? null);
}

export function pauseConditionsOf({
  status,
}: Pick<ArgoObject, 'status'>): { reason: string; since: string | null }[] {
  return objectsAt(status, 'pauseConditions').map((condition) => ({
    reason: textAt(condition, 'reason') ?? '',
    since: textAt(condition, 'startTime') ?? null,
  }));
}

/** An analysis puts the error of its provider into the message. */
const REASON_CHARS_MAX = 300;

/**
 * Why the controller aborted the rollout: a failed metric, the progress deadline. Null where it reports none, as for an
 * abort by a person.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (calculateRolloutConditions)
 */
export function abortReasonOf({ status }: Pick<ArgoObject, 'status'>): string | null {
  const condition = conditionAt(status, 'Progressing');
  const reported = textAt(condition, 'reason') ?? '';
  if (reported !== 'RolloutAborted' && reported !== 'ProgressDeadlineExceeded') return null;
  const reason = (textAt(condition, 'message') ?? '')
    .replace(/^Rollout (is aborted|aborted update to revision \d+)(: )?/, '')
    .replace(/\.$/, '');
  return reason === '' ? null : cutLine(reason, REASON_CHARS_MAX);
}

function isReferenceObserved(object: ArgoObject): boolean {
  const written = object.annotations[WORKLOAD_GENERATION];
  return written === undefined || !isByReference(object) || written === workloadObserved(object);
}

function isByReference({ spec }: Pick<ArgoObject, 'spec'>): boolean {
  return objectAt(spec, 'workloadRef') !== undefined;
}

function workloadObserved({ status }: Pick<ArgoObject, 'status'>): string {
  const observed = status.workloadObservedGeneration;
  return typeof observed === 'string' || typeof observed === 'number' ? String(observed) : '';
}

/** Null where the text is no number. */
function observedNumber(observed: unknown): number | null {
  if (typeof observed === 'number') return observed;
  return typeof observed === 'string' && /^\d+$/.test(observed) ? Number(observed) : null;
}

/** Versions before 1.0 wrote no phase (CalculateRolloutPhase). */
function computedPhase(object: ArgoObject): { phase: ArgoPhase; message: string | null } {
  const { status, spec } = object;
  const failed = objectsAt(status, 'conditions').find(
    ({ type, reason }) =>
      type === 'InvalidSpec' || reason === 'RolloutAborted' || reason === 'ProgressDeadlineExceeded',
  );
  if (failed !== undefined) {
    const word = failed.type === 'InvalidSpec' ? 'InvalidSpec' : (textAt(failed, 'reason') ?? '');
    return { phase: 'Degraded', message: `${word}: ${textAt(failed, 'message') ?? ''}` };
  }
  if (spec.paused === true) return { phase: 'Paused', message: 'manually paused' };
  const [pause] = pauseConditionsOf(object);
  if (pause !== undefined) return { phase: 'Paused', message: pause.reason };
  const waiting = pendingReason(object);
  return waiting === null ? { phase: 'Healthy', message: null } : { phase: 'Progressing', message: waiting };
}

function pendingReason({ status, spec }: ArgoObject): string | null {
  const at = (member: string) => numberAt(status, member) ?? 0;
  if (at('updatedReplicas') < replicasOf({ spec })) return 'more replicas need to be updated';
  if (at('availableReplicas') < at('updatedReplicas')) return 'updated replicas are still becoming available';
  const current = textAt(status, 'currentPodHash') ?? '';
  const isPromoted = current !== '' && textAt(status, 'stableRS') === current;
  const strategy = argoStrategyOf({ spec });
  if (strategy === 'blueGreen') {
    if (textAt(status, 'blueGreen', 'activeSelector') !== current) return 'active service cutover pending';
    return isPromoted ? null : 'waiting for analysis to complete';
  }
  if (
    at('replicas') > at('updatedReplicas') &&
    objectAt(spec, 'strategy', 'canary', 'trafficRouting') === undefined
  )
    return 'old replicas are pending termination';
  return isPromoted ? null : 'waiting for all steps to complete';
}
