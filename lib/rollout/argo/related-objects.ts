import type { KubeObject } from '@/lib/kube/object';
import { type ArgoRollout, analysisRuns, experiments } from '@/lib/rollout/argo/parse';
import { boundedText, boundedName } from '@/lib/rollout/bounded';
import { relatedObjectFacts, readVersion } from '@/lib/rollout/common-shape';
import { numberAt, objectsAt } from '@/lib/kube/read';
import { formatCount } from '@/lib/format/text';
import type { RelatedObjectSummary } from '@/lib/api/rollouts';
import type { RelatedObject } from '@/lib/rollout/rollout-facts';
import type { ResourceType } from '@/lib/kube/resource';

/** An AnalysisRun or an Experiment: its result, not its measurements. */
export type AnalysisObject = ReturnType<typeof analysisObjectOf>;

export function parseAnalysisRun(object: KubeObject): AnalysisObject {
  return analysisObjectOf(analysisRuns, object);
}

export function parseExperiment(object: KubeObject): AnalysisObject {
  return analysisObjectOf(experiments, object);
}

/** Those that the Rollout names. For a missing run, the status of the Rollout is used. */
export function summarizeAnalyses(
  rollout: ArgoRollout,
  objects: readonly RelatedObject[],
): RelatedObjectSummary[] {
  const runs = rollout.runs.map(({ name, status, message }): RelatedObjectSummary => {
    const run = findAnalysisObject(rollout, objects, analysisRuns.id, name);
    return {
      resource: analysisRuns.id,
      kind: analysisRuns.kind,
      name,
      phase: run?.phase ?? status,
      message: run?.message ?? message,
    };
  });
  if (rollout.experiment === null) return runs;
  const experiment = experimentOf(rollout, objects);
  return [
    ...runs,
    {
      resource: experiments.id,
      kind: experiments.kind,
      name: rollout.experiment,
      phase: experiment?.phase ?? null,
      message: experiment?.message ?? null,
    },
  ];
}

/** The experiment of the current step; null where it is missing, or there is none. */
export function experimentOf(rollout: ArgoRollout, objects: readonly RelatedObject[]): AnalysisObject | null {
  if (rollout.experiment === null) return null;
  return findAnalysisObject(rollout, objects, experiments.id, rollout.experiment) ?? null;
}

/** The analysis run of a step; null where the status names none, or it is missing. */
export function stepAnalysis(rollout: ArgoRollout, objects: readonly RelatedObject[]): AnalysisObject | null {
  const name = rollout.runs.find(({ role }) => role === 'step')?.name;
  if (name === undefined) return null;
  return findAnalysisObject(rollout, objects, analysisRuns.id, name) ?? null;
}

function findAnalysisObject(
  { uid }: ArgoRollout,
  objects: readonly RelatedObject[],
  resource: string,
  name: string,
): AnalysisObject | undefined {
  return (objects as readonly AnalysisObject[]).find(
    (candidate) =>
      candidate.resource === resource &&
      candidate.name === name &&
      (candidate.controllerUid === null || candidate.controllerUid === uid),
  );
}

function analysisObjectOf({ id, kind }: ResourceType, object: KubeObject) {
  const { metadata, status } = object;
  return {
    ...relatedObjectFacts(id, object),
    kind,
    phase: boundedName(status, 'phase'),
    message: boundedText(status, 'message'),
    version: readVersion(object.apiVersion),
    resourceVersion: metadata.resourceVersion,
    /** The step that it analyzes, from 0; null where it analyzes none. */
    stepIndex: stepIndexOf(metadata.labels?.['step-index']),
    /** "error-rate 7.4 (success condition: result <= 1), failed 2 of 2 checks"; null before its first measurement. */
    measured: measuredText(object),
  };
}

/** Metrics of one run that are shown. */
const METRICS_MAX = 4;

/** The last value of each metric, with its condition and its failed checks. */
function measuredText({ spec, status }: KubeObject): string | null {
  const conditions = new Map(
    objectsAt(spec, 'metrics').map((metric) => [
      boundedName(metric, 'name'),
      boundedName(metric, 'successCondition') ?? boundedName(metric, 'failureCondition'),
    ]),
  );
  const texts = objectsAt(status, 'metricResults')
    .slice(0, METRICS_MAX)
    .flatMap((result) => {
      const name = boundedName(result, 'name');
      const value = boundedName(objectsAt(result, 'measurements').at(-1), 'value');
      if (name === null || value === null) return [];
      const condition = conditions.get(name) ?? null;
      const [count, failed] = [numberAt(result, 'count') ?? 0, numberAt(result, 'failed') ?? 0];
      return `${name} ${value}${condition === null ? '' : ` (${condition})`}${failed === 0 ? '' : `, failed ${failed} of ${formatCount(Math.max(count, failed), 'check')}`}`;
    });
  return texts.length === 0 ? null : texts.join('; ');
}

function stepIndexOf(label: string | undefined): number | null {
  return label !== undefined && /^\d{1,4}$/.test(label) ? Number(label) : null;
}
