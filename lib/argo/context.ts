import type { RelatedObjectSummary } from '@/lib/api/rollouts';
import type { RolloutStyle } from '@/lib/api/rollout-values';
import { formatRevision, type Revision } from '@/lib/history/revision';
import { experimentOf, stepAnalysis, type AnalysisObject, summarizeAnalyses } from '@/lib/argo/analyses';
import { revisionOfHash } from '@/lib/argo/history';
import type { ArgoRollout } from '@/lib/argo/reading';
import { TEMPLATE_HASH } from '@/lib/argo/resource';
import { pendingRevision, rolloutRevisionOf } from '@/lib/rollout/common-shape';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RelatedObject, RolloutFacts } from '@/lib/rollout/rollout-facts';
import { type BaseContext, readBase, type RolloutInput } from '@/lib/rollout/system';

/**
 * The state of a Rollout. `behind`: its status is of an earlier spec. `first`: there is no stable revision
 * yet, so no step runs. `inProgress`: the desired revision is not the stable one, and the controller is
 * working on it.
 */
export type ArgoStage =
  | 'terminating'
  | 'initial'
  | 'behind'
  | 'first'
  | 'idle'
  | 'inProgress'
  | 'aborted'
  | 'degraded'
  | 'completed'
  | 'unknown';

export interface ArgoContext extends BaseContext<ArgoRollout> {
  stage: ArgoStage;
  /** The desired revision is not the stable one. */
  isUnderWay: boolean;
  style: RolloutStyle;
  total: number;
  /** Counts from 1; 0 where no step is current. */
  index: number;
  /** From the status: the desired revision, and the one that serves. */
  current: Revision | null;
  stable: Revision | null;
  analyses: readonly RelatedObjectSummary[];
  /** The run that analyzes a step. */
  stepAnalysis: AnalysisObject | null;
  /** Of the current step, where it has an experiment that did not succeed: it can be run again. */
  failedExperiment: AnalysisObject | null;
  /** The step in which an aborted rollout stopped, from 1; null where it is unknown. */
  stoppedIn: number | null;
}

export function readArgoContext(input: RolloutInput<ArgoRollout>): ArgoContext {
  const { object, relatedObjects } = input;
  const base = readBase(input, object.paused);
  const { facts } = base;
  const { currentHash, stableHash } = object;
  const isUnderWay = currentHash !== null && stableHash !== null && currentHash !== stableHash;
  const stage = stageOf(object, isUnderWay, hasOtherTemplate(object, facts));
  const total = object.strategy === 'blueGreen' ? 1 : object.steps.length;
  const experiment = experimentOf(object, relatedObjects);
  const hasFailed = ['Failed', 'Error', 'Inconclusive'].includes(experiment?.phase ?? '');
  return {
    ...base,
    stage,
    isUnderWay,
    style: object.strategy ?? 'unknown',
    total,
    index: indexOf(object, stage, isUnderWay, total),
    current: facts === null ? null : revisionOfHash(facts.history, currentHash),
    stable: facts === null ? null : revisionOfHash(facts.history, stableHash),
    analyses: summarizeAnalyses(object, relatedObjects),
    stepAnalysis: stepAnalysis(object, relatedObjects),
    failedExperiment: hasFailed ? experiment : null,
    stoppedIn: stage === 'aborted' ? stoppedStep(object, relatedObjects) : null,
  };
}

/** Whether a rollout is in progress, no matter who has to act next. */
export function isReleasing({ stage, isUnderWay }: Pick<ArgoContext, 'stage' | 'isUnderWay'>): boolean {
  return isUnderWay && (stage === 'inProgress' || stage === 'degraded');
}

/** All steps are done, and the rest of the pods follow. */
export function isPastSteps({ rollout, total }: Pick<ArgoContext, 'rollout' | 'total'>): boolean {
  return rollout.strategy === 'canary' && total > 0 && (rollout.stepIndex ?? 0) >= total;
}

/**
 * Whether the spec may have another template than the one of the status. A change of anything else, such as a
 * pause or the number of pods, leaves the rollout where it is.
 */
function hasOtherTemplate(rollout: ArgoRollout, facts: RolloutFacts | null): boolean {
  if (!rollout.isBehind) return false;
  const target = facts?.history.target ?? null;
  return target === null || target.source.labels[TEMPLATE_HASH] !== rollout.currentHash;
}

function stageOf(rollout: ArgoRollout, isUnderWay: boolean, isBehind: boolean): ArgoStage {
  const { statedPhase: phase } = rollout;
  if (rollout.deletedAt !== null) return 'terminating';
  if (!rollout.hasStatus) return 'initial';
  if (isBehind) return 'behind';
  if (rollout.aborted && isUnderWay) return 'aborted';
  if (phase === 'Degraded') return 'degraded';
  if (!['Healthy', 'Progressing', 'Paused'].includes(phase)) return 'unknown';
  if (isUnderWay) return 'inProgress';
  if (rollout.stableHash === null) return 'first';
  return rollout.revision === '1' ? 'idle' : 'completed';
}

function indexOf(rollout: ArgoRollout, stage: ArgoStage, isUnderWay: boolean, total: number): number {
  if (stage === 'completed') return total;
  if (!isReleasing({ stage, isUnderWay })) return 0;
  return Math.min((rollout.strategy === 'blueGreen' ? 0 : (rollout.stepIndex ?? 0)) + 1, total);
}

/**
 * An abort resets the index to the first step, so the step is derived from something else: a change that the
 * controller has not processed yet, a plugin that failed or reverts its work, or an analysis run that the
 * status still names.
 */
function stoppedStep(rollout: ArgoRollout, relatedObjects: readonly RelatedObject[]): number | null {
  if (rollout.strategy === 'blueGreen') return 1;
  const plugins = rollout.plugins
    .filter(({ phase, isUndoing }) => isUndoing || phase === 'Failed' || phase === 'Error')
    .map(({ index }) => index);
  const candidates = [
    rollout.stepIndex === 0 ? null : rollout.stepIndex,
    stepAnalysis(rollout, relatedObjects)?.stepIndex ?? null,
    ...plugins,
  ];
  const index = Math.max(...candidates.filter((each) => each !== null), -1);
  return index < 0 || index >= rollout.steps.length ? null : index + 1;
}

/** The revision that serves, and the desired one: by the hashes of the status, or by the spec before it is read. */
export function findArgoRevisions(context: ArgoContext): ProgressiveRollout['revisions'] {
  const { rollout, stable } = context;
  const { stableHash } = rollout;
  return {
    stable: stableHash === null ? null : rolloutRevisionOf(stableHash, stable),
    updated: findUpdated(context),
  };
}

function findUpdated({
  rollout,
  stage,
  current,
  facts,
}: ArgoContext): ProgressiveRollout['revisions']['updated'] {
  const { currentHash, reference } = rollout;
  if (stage === 'idle') return null;
  if (facts !== null && (stage === 'behind' || stage === 'initial')) {
    const { target } = facts.history;
    if (target !== null) return rolloutRevisionOf(null, target);
    if (reference === null) return pendingRevision(null, null, facts.workload);
  }
  return currentHash === null ? null : rolloutRevisionOf(currentHash, current);
}

/** The name of the desired revision in a sentence. */
export function formatUpdatedRevision({ current, rollout }: ArgoContext): string {
  return formatRevisionOr(current, rollout.currentHash, 'the new revision');
}

export function formatStableRevision({ stable, rollout }: ArgoContext): string {
  return formatRevisionOr(stable, rollout.stableHash, 'the stable revision');
}

function formatRevisionOr(revision: Revision | null, hash: string | null, otherwise: string): string {
  if (revision !== null) return `revision ${formatRevision(revision)}`;
  return hash === null ? otherwise : `revision ${hash}`;
}
