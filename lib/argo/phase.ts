import type { ConditionItem } from '@/lib/api/common';
import { cutLine } from '@/lib/format/message-line';
import type { Workload } from '@/lib/history/workload';
import type { JsonObject } from '@/lib/kube/json';
import { conditionAt, numberAt, textAt } from '@/lib/kube/read';
import { WORKLOAD_GENERATION } from '@/lib/argo/resource';
import { boundedName, boundedText } from '@/lib/rollout/bounded';

type ArgoObject = Pick<Workload, 'generation' | 'annotations' | 'status'>;

/** What the phase depends on besides. */
interface Known {
  strategy: 'canary' | 'blueGreen' | null;
  desired: number;
  isRouted: boolean;
  paused: boolean;
  reference: unknown;
  pauses: readonly { reason: string }[];
  controllerPause: boolean;
  currentHash: string | null;
  stableHash: string | null;
  activeHash: string | null;
  counts: { updated: number | null; available: number | null };
  conditions: readonly ConditionItem[];
}

interface Phase {
  /** Healthy, Degraded, Progressing, Paused, or a word that Shiplog does not know. */
  phase: string;
  message: string | null;
}

const UNOBSERVED = 'waiting for rollout spec update to be observed';
const PHASE_CHARS_MAX = 100;

/**
 * The phase as `kubectl argo rollouts` derives it: the status counts only once the controller has read the spec. The end
 * of a pause comes before a template elsewhere that was not read.
 * https://github.com/argoproj/argo-rollouts/blob/master/utils/rollout/rolloututil.go (GetRolloutPhase)
 */
export function readPhase(object: ArgoObject, known: Known) {
  const { status } = object;
  const isGenerationObserved = hasObservedGeneration(object);
  const isTemplateObserved = known.reference === null || hasObservedTemplate(object);
  const stated = (boundedName(status, 'phase') ?? '').slice(0, PHASE_CHARS_MAX);
  let derived: Phase = { phase: 'Progressing', message: null };
  if (!isGenerationObserved) derived.message = UNOBSERVED;
  else if (known.controllerPause && known.pauses.length === 0)
    derived.message = 'waiting for rollout to unpause';
  else if (!isTemplateObserved) derived.message = `${UNOBSERVED} for the reference workload`;
  else if (stated !== '') derived = { phase: stated, message: boundedText(status, 'message') };
  else derived = computePhase(known, numberAt(status, 'replicas') ?? 0);
  return {
    ...derived,
    /** The phase that the status names, whichever spec it has observed. */
    statedPhase: stated === '' ? derived.phase : stated,
    /** The status is of an earlier spec, or of an earlier template where another object holds it. */
    isBehind: !isGenerationObserved || !isTemplateObserved,
    observedGeneration: isGenerationObserved ? object.generation : readObservedNumber(status),
  };
}

/** In objects of v0.9 the number is a text that may be no number, or one of a separate count. */
function hasObservedGeneration({ generation, status }: ArgoObject): boolean {
  const observed = readObservedNumber(status);
  return observed === null ? status.observedGeneration !== undefined : observed >= generation;
}

/** Null before the first generation was observed, and where the text is no number. */
function readObservedNumber({ observedGeneration: observed }: JsonObject): number | null {
  if (typeof observed === 'number') return observed;
  return typeof observed === 'string' && /^\d+$/.test(observed) ? Number(observed) : null;
}

/** The controller writes the generation of the object that holds the template, first as an annotation. */
function hasObservedTemplate({ annotations, status }: ArgoObject): boolean {
  const written = annotations[WORKLOAD_GENERATION];
  const observed = status.workloadObservedGeneration;
  if (written === undefined) return true;
  return (typeof observed === 'string' || typeof observed === 'number') && String(observed) === written;
}

/** Versions before 1.0 wrote no phase (CalculateRolloutPhase). */
function computePhase(known: Known, replicas: number): Phase {
  const failed = known.conditions.find(
    ({ type, reason }) =>
      type === 'InvalidSpec' || reason === 'RolloutAborted' || reason === 'ProgressDeadlineExceeded',
  );
  if (failed !== undefined) {
    const word = failed.type === 'InvalidSpec' ? 'InvalidSpec' : (failed.reason ?? '');
    return { phase: 'Degraded', message: `${word}: ${failed.message ?? ''}` };
  }
  if (known.paused) return { phase: 'Paused', message: 'manually paused' };
  const [pause] = known.pauses;
  if (pause !== undefined) return { phase: 'Paused', message: pause.reason };
  const waiting = findPendingReason(known, replicas);
  return waiting === null ? { phase: 'Healthy', message: null } : { phase: 'Progressing', message: waiting };
}

function findPendingReason(known: Known, replicas: number): string | null {
  const { currentHash, strategy } = known;
  const updated = known.counts.updated ?? 0;
  if (updated < known.desired) return 'more replicas need to be updated';
  if ((known.counts.available ?? 0) < updated) return 'updated replicas are still becoming available';
  const isPromoted = currentHash !== null && known.stableHash === currentHash;
  if (strategy === 'blueGreen') {
    if (known.activeHash !== currentHash) return 'active service cutover pending';
    return isPromoted ? null : 'waiting for analysis to complete';
  }
  if (replicas > updated && !known.isRouted) return 'old replicas are pending termination';
  return isPromoted ? null : 'waiting for all steps to complete';
}

/** An analysis puts the error of its provider into the message. */
const REASON_CHARS_MAX = 300;

/**
 * Why the controller aborted the rollout: a failed metric, the progress deadline. Null where it reports none, as for an
 * abort by a person.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/sync.go (calculateRolloutConditions)
 */
export function findAbortReason(status: JsonObject): string | null {
  const condition = conditionAt(status, 'Progressing');
  const reported = textAt(condition, 'reason') ?? '';
  if (reported !== 'RolloutAborted' && reported !== 'ProgressDeadlineExceeded') return null;
  const reason = (textAt(condition, 'message') ?? '')
    .replace(/^Rollout (is aborted|aborted update to revision \d+)(: )?/, '')
    .replace(/\.$/, '');
  return reason === '' ? null : cutLine(reason, REASON_CHARS_MAX);
}
