import {
  batchReleaseOf,
  relatedObjectsOf,
  type BatchRelease,
  type KruiseRelatedObject,
} from '@/lib/rollout/openkruise/related-objects';
import type { KruiseProgress, KruiseRollout } from '@/lib/rollout/openkruise/parse';
import { findCondition } from '@/lib/rollout/common-shape';
import { carriesHash } from '@/lib/rollout/openkruise/revision-hash';
import type { RolloutStyle } from '@/lib/api/rollout-values';
import { type BaseContext, readBase, type RolloutInput } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';

/**
 * The state of a rollout, by fields alone: messages lag behind. `initial`: not yet processed by the
 * controller.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export type KruiseStage =
  | 'initial'
  | 'missing'
  | 'idle'
  | 'starting'
  | 'inStep'
  | 'paused'
  | 'rollingBack'
  | 'completing'
  | 'completed'
  | 'rolledBack'
  | 'bypassing'
  | 'bypassed'
  | 'disabling'
  | 'disabled'
  | 'terminating'
  | 'unknown';

/** Everything that the rules of a rollout need, computed once. */
export interface KruiseContext extends BaseContext<KruiseRollout> {
  stage: KruiseStage;
  style: RolloutStyle;
  /** Null where there is none, and where it is still that of the previous rollout. */
  progress: KruiseProgress | null;
  /** The current step of the rollout, or that of its rollback, from 1; 0 where none has begun. */
  index: number;
  total: number;
  auxiliaries: readonly RolloutFacts[];
  relatedObjects: readonly KruiseRelatedObject[];
  batchRelease: BatchRelease | null;
}

export function readKruiseContext(input: RolloutInput<KruiseRollout>): KruiseContext {
  const { object: rollout, workload, auxiliaries } = input;
  const relatedObjects = relatedObjectsOf(rollout.uid, input.relatedObjects);
  const stage = withWorkload(stageOf(rollout, workload.state), rollout, workload);
  const progress = isStale(rollout, stage) ? null : rollout.progress;
  const total = rollout.steps.length;
  const hasBegun = progress !== null && !WITHOUT_STEP.includes(stage);
  return {
    ...readBase(input, rollout.paused),
    isDeleted: stage === 'terminating',
    stage,
    style: styleOf(rollout),
    progress,
    index: hasBegun ? Math.max(0, Math.min(progress.stepIndex, total)) : 0,
    total,
    auxiliaries,
    relatedObjects,
    batchRelease: batchReleaseOf(relatedObjects),
  };
}

const WITHOUT_STEP: readonly KruiseStage[] = ['starting', 'idle', 'initial', 'missing'];

/** `GetRollingStyle`: only a Deployment can get a canary of its own. */
function styleOf({ strategy, extraWorkload, workload }: KruiseRollout): RolloutStyle {
  switch (strategy) {
    case 'blueGreen':
      return 'blueGreen';
    case 'canary':
      return extraWorkload && workload.resource === 'deployments.apps' ? 'canary' : 'partition';
    case null:
      return 'unknown';
    default:
      return strategy satisfies never;
  }
}

/** Whether a rollout is in progress, no matter who has to act next. */
export function isReleasing(stage: KruiseStage): boolean {
  return stage === 'starting' || stage === 'inStep' || stage === 'paused';
}

function stageOf(rollout: KruiseRollout, workload: 'found' | 'missing' | 'unknown'): KruiseStage {
  const { phase } = rollout;
  if (rollout.deletedAt !== null || phase === 'Terminating') return 'terminating';
  if (phase === 'Disabled') return 'disabled';
  if (rollout.disabled || phase === 'Disabling') return 'disabling';
  if (workload === 'missing') return 'missing';
  switch (phase) {
    case '':
    case 'Initial':
      return 'initial';
    case 'Healthy':
      return settledStage(rollout);
    case 'Progressing':
      return progressingStage(rollout);
    default:
      return 'unknown';
  }
}

/**
 * The conditions tell what the controller has decided. A workload that requests another template than the stable one by
 * now, after its rollout was canceled, is not rolled back: its pods are updated without steps.
 */
function withWorkload(
  stage: KruiseStage,
  { progress }: KruiseRollout,
  workload: RolloutInput['workload'],
): KruiseStage {
  if (stage !== 'rollingBack' && stage !== 'rolledBack') return stage;
  const target = workload.state === 'found' ? workload.facts.history.target : null;
  const stable = progress?.stableRevision ?? null;
  if (target === null || stable === null || workload.state !== 'found') return stage;
  if (carriesHash(target.source, stable, workload.facts.workload.name)) return stage;
  return stage === 'rollingBack' ? 'bypassing' : 'bypassed';
}

/**
 * Before the first rollout the status looks as though all steps were done; only the condition shows the
 * difference.
 */
function settledStage(rollout: KruiseRollout): KruiseStage {
  const succeeded = findCondition(rollout, 'Succeeded');
  if (succeeded === null) return 'idle';
  return succeeded.status === 'False' ? 'rolledBack' : 'completed';
}

function progressingStage(rollout: KruiseRollout): KruiseStage {
  const reason = findCondition(rollout, 'Progressing')?.reason ?? null;
  if (reason === 'Initializing') return 'starting';
  if (reason === 'Cancelling') return 'rollingBack';
  if (reason === 'Finalising') return 'completing';
  if (reason === 'Paused' || rollout.paused) return 'paused';
  if (rollout.progress === null) return 'starting';
  return rollout.progress.stepState === 'Completed' ? 'completing' : 'inStep';
}

/** At the start, for a second or two, the status is still that of the previous rollout. */
function isStale({ progress }: KruiseRollout, stage: KruiseStage): boolean {
  return stage === 'starting' && progress?.stepState === 'Completed';
}
