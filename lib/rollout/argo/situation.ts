import { type ArgoRollout } from '@/lib/rollout/argo/parse';
import { experimentOf, judgedStep, type Trial, trialsOf } from '@/lib/rollout/argo/beside';
import { type BesideSummary, type RolloutStyle } from '@/lib/rollout/rollout';
import { type RolloutInput, type WorkloadFacts } from '@/lib/rollout/system';
import { type Revision } from '@/lib/history/revision';
import { revisionOfHash } from '@/lib/workloads/argo-rollout/history';
import { TEMPLATE_HASH } from '@/lib/workloads/argo-rollout/resource';

/**
 * Where a Rollout stands. `behind`: its status is of an earlier spec. `first`: there is nothing stable to release beside, so
 * no step runs. `releasing`: what the spec asks for is not the stable revision, and the controller is on it.
 */
export type Stage =
  | 'terminating'
  | 'initial'
  | 'behind'
  | 'first'
  | 'idle'
  | 'releasing'
  | 'aborted'
  | 'degraded'
  | 'completed'
  | 'unknown';

export interface Situation {
  rollout: ArgoRollout;
  stage: Stage;
  /** What the spec asks for is not the stable revision. */
  isUnderWay: boolean;
  style: RolloutStyle;
  total: number;
  /** Counts from 1; 0 where no step is at hand. */
  index: number;
  facts: WorkloadFacts | null;
  /** Of the status: what the spec asks for, and what serves. */
  current: Revision | null;
  stable: Revision | null;
  trials: readonly BesideSummary[];
  /** Of the step at hand, where it has an experiment that did not succeed: it can be run again. */
  failedExperiment: Trial | null;
  /** The step in which an aborted release stopped, from 1; null where nothing tells. */
  stoppedIn: number | null;
  nowMs: number;
  /** When its present state was first seen; null where that is not known. */
  seenMs: number | null;
}

export function situationOf({ object, workload, beside, seenMs, now }: RolloutInput<ArgoRollout>): Situation {
  const facts = workload.state === 'found' ? workload.facts : null;
  const { currentHash, stableHash } = object;
  const isUnderWay = currentHash !== null && stableHash !== null && currentHash !== stableHash;
  const stage = stageOf(object, isUnderWay, hasOtherTemplate(object, facts));
  const total = object.strategy === 'blueGreen' ? 1 : object.steps.length;
  return {
    rollout: object,
    stage,
    isUnderWay,
    style: object.strategy ?? 'unknown',
    total,
    index: indexOf(object, stage, isUnderWay, total),
    facts,
    current: facts === null ? null : revisionOfHash(facts.history, currentHash),
    stable: facts === null ? null : revisionOfHash(facts.history, stableHash),
    trials: trialsOf(object, beside),
    failedExperiment: failedExperimentOf(object, beside),
    stoppedIn: stage === 'aborted' ? stoppedStep(object, beside) : null,
    nowMs: Date.parse(now),
    seenMs: seenMs ?? null,
  };
}

/** Whether a release goes on, whoever has to act next. */
export function isReleasing({ stage, isUnderWay }: Pick<Situation, 'stage' | 'isUnderWay'>): boolean {
  return isUnderWay && (stage === 'releasing' || stage === 'degraded');
}

/** All steps are done, and the rest of the pods follow. */
export function isPastSteps({ rollout, total }: Pick<Situation, 'rollout' | 'total'>): boolean {
  return rollout.strategy === 'canary' && total > 0 && (rollout.stepIndex ?? 0) >= total;
}

/**
 * Whether the spec may ask for another template than the one of the status. A change of anything else, such as a pause or the
 * number of pods, leaves the release where it is.
 */
function hasOtherTemplate(rollout: ArgoRollout, facts: WorkloadFacts | null): boolean {
  if (!rollout.isBehind) return false;
  const target = facts?.history.target ?? null;
  return target === null || target.source.labels[TEMPLATE_HASH] !== rollout.currentHash;
}

function stageOf(rollout: ArgoRollout, isUnderWay: boolean, isBehind: boolean): Stage {
  const { statedPhase: phase } = rollout;
  if (rollout.deletedAt !== null) return 'terminating';
  if (!rollout.hasStatus) return 'initial';
  if (isBehind) return 'behind';
  if (rollout.aborted && isUnderWay) return 'aborted';
  if (phase === 'Degraded') return 'degraded';
  if (!['Healthy', 'Progressing', 'Paused'].includes(phase)) return 'unknown';
  if (isUnderWay) return 'releasing';
  if (rollout.stableHash === null) return 'first';
  return rollout.revision === '1' ? 'idle' : 'completed';
}

function indexOf(rollout: ArgoRollout, stage: Stage, isUnderWay: boolean, total: number): number {
  if (stage === 'completed') return total;
  if (!isUnderWay || (stage !== 'releasing' && stage !== 'degraded')) return 0;
  if (rollout.strategy === 'blueGreen') return 1;
  return total === 0 ? 0 : Math.min((rollout.stepIndex ?? 0) + 1, total);
}

function failedExperimentOf(rollout: ArgoRollout, beside: RolloutInput<ArgoRollout>['beside']): Trial | null {
  const experiment = experimentOf(rollout, beside);
  const isOver = ['Failed', 'Error', 'Inconclusive'].includes(experiment?.phase ?? '');
  return isOver ? experiment : null;
}

/**
 * An abort sets the index back to the first step, so that something else has to tell: what the controller has not come to
 * yet, a plugin that failed or takes back what it did, or the run of an analysis that the status still names.
 */
function stoppedStep(rollout: ArgoRollout, beside: RolloutInput<ArgoRollout>['beside']): number | null {
  if (rollout.strategy === 'blueGreen') return 1;
  const plugins = rollout.plugins
    .filter(({ phase, isUndoing }) => isUndoing || phase === 'Failed' || phase === 'Error')
    .map(({ index }) => index);
  const told = [rollout.stepIndex === 0 ? null : rollout.stepIndex, judgedStep(rollout, beside), ...plugins];
  const index = Math.max(...told.filter((each) => each !== null), -1);
  return index < 0 || index >= rollout.steps.length ? null : index + 1;
}
