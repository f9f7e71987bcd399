import {
  batchReleaseOf,
  besideOf,
  type BatchRelease,
  type KruiseBeside,
} from '@/lib/rollout/openkruise/beside';
import { type KruiseProgress, type KruiseRollout } from '@/lib/rollout/openkruise/parse';
import { type RolloutStyle } from '@/lib/rollout/rollout';
import { type RolloutInput, type WorkloadFacts } from '@/lib/rollout/system';

/**
 * Where a release stands, by fields alone: messages lag behind. `initial`: not taken up by the controller so far.
 * https://github.com/openkruise/rollouts/blob/master/pkg/controller/rollout/rollout_progressing.go
 */
export type Stage =
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
  | 'disabling'
  | 'disabled'
  | 'terminating'
  | 'unknown';

/** Everything that the rules of a release ask for, once. */
export interface Situation {
  rollout: KruiseRollout;
  stage: Stage;
  style: RolloutStyle;
  /** Null where there is none, and where it is still that of the release before. */
  progress: KruiseProgress | null;
  total: number;
  facts: WorkloadFacts | null;
  auxiliaries: readonly WorkloadFacts[];
  beside: readonly KruiseBeside[];
  batch: BatchRelease | null;
  nowMs: number;
  /** When its present state was first seen; null where that is not known. */
  seenMs: number | null;
}

export function situationOf(input: RolloutInput<KruiseRollout>): Situation {
  const { object: rollout, workload, auxiliaries, now } = input;
  const beside = besideOf(rollout.uid, input.beside);
  const stage = stageOf(rollout, workload.state);
  return {
    rollout,
    stage,
    style: styleOf(rollout),
    progress: isStale(rollout, stage) ? null : rollout.progress,
    total: rollout.steps.length,
    facts: workload.state === 'found' ? workload.facts : null,
    auxiliaries,
    beside,
    batch: batchReleaseOf(beside),
    nowMs: Date.parse(now),
    seenMs: input.seenMs ?? null,
  };
}

/** `GetRollingStyle`: only a Deployment can get a canary of its own. */
export function styleOf({ strategy, extraWorkload, workload }: KruiseRollout): RolloutStyle {
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

/** Whether a release is under way, whoever has to act next. */
export function isReleasing(stage: Stage): boolean {
  return stage === 'starting' || stage === 'inStep' || stage === 'paused';
}

export function conditionOf({ conditions }: KruiseRollout, type: string) {
  return conditions.find((condition) => condition.type === type) ?? null;
}

function stageOf(rollout: KruiseRollout, workload: 'found' | 'missing' | 'unknown'): Stage {
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

/** Without a release so far, the status is filled in as though all steps were done; only the condition tells. */
function settledStage(rollout: KruiseRollout): Stage {
  const succeeded = conditionOf(rollout, 'Succeeded');
  if (succeeded === null) return 'idle';
  return succeeded.status === 'False' ? 'rolledBack' : 'completed';
}

function progressingStage(rollout: KruiseRollout): Stage {
  const reason = conditionOf(rollout, 'Progressing')?.reason ?? null;
  if (reason === 'Initializing') return 'starting';
  if (reason === 'Cancelling') return 'rollingBack';
  if (reason === 'Finalising') return 'completing';
  if (reason === 'Paused' || rollout.paused) return 'paused';
  if (rollout.progress === null) return 'starting';
  return rollout.progress.stepState === 'Completed' ? 'completing' : 'inStep';
}

/** At the start, for a second or two, the status is still that of the release before. */
function isStale({ progress }: KruiseRollout, stage: Stage): boolean {
  return stage === 'starting' && progress?.stepState === 'Completed';
}
