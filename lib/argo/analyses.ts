import type { KubeObject } from '@/lib/kube/object';
import type { ArgoRollout, NamedRun } from '@/lib/argo/reading';
import { analysisRuns, experiments } from '@/lib/argo/resource';
import { boundedName } from '@/lib/rollout/bounded';
import { isControlledBy, relatedObjectFacts, readVersion } from '@/lib/rollout/common-shape';
import { numberAt, objectsAt } from '@/lib/kube/read';
import { formatCount } from '@/lib/format/text';
import type { RelatedObjectSummary } from '@/lib/api/rollouts';
import type { RelatedObject } from '@/lib/rollout/rollout-facts';
import type { ResourceType } from '@/lib/kube/resource';

/** An AnalysisRun or an Experiment: its result, not its measurements. */
export type AnalysisObject = ReturnType<typeof analysisObjectOf>;

export const analysisObjects = [analysisRuns, experiments].map((resource) => ({
  resource,
  parse: (object: KubeObject): AnalysisObject => analysisObjectOf(resource, object),
}));

/** Those that the Rollout names. For a missing run, the status of the Rollout is used. */
export function summarizeAnalyses(
  rollout: ArgoRollout,
  objects: readonly RelatedObject[],
): RelatedObjectSummary[] {
  const summarize = (type: ResourceType, name: string, ofStatus: Partial<NamedRun>): RelatedObjectSummary => {
    const found = findAnalysisObject(rollout, objects, type.id, name);
    const phase = found?.phase ?? ofStatus.status ?? null;
    return {
      resource: type.id,
      kind: type.kind,
      name,
      phase,
      message: found?.message ?? ofStatus.message ?? null,
    };
  };
  const runs = rollout.runs.map((run) => summarize(analysisRuns, run.name, run));
  return rollout.experiment === null ? runs : [...runs, summarize(experiments, rollout.experiment, {})];
}

/** The experiment of the current step; null where it is missing, or there is none. */
export function experimentOf(rollout: ArgoRollout, objects: readonly RelatedObject[]): AnalysisObject | null {
  if (rollout.experiment === null) return null;
  return findAnalysisObject(rollout, objects, experiments.id, rollout.experiment);
}

/** The analysis run of a step; null where the status names none, or it is missing. */
export function stepAnalysis(rollout: ArgoRollout, objects: readonly RelatedObject[]): AnalysisObject | null {
  const name = rollout.runs.find(({ role }) => role === 'step')?.name;
  return name === undefined ? null : findAnalysisObject(rollout, objects, analysisRuns.id, name);
}

function findAnalysisObject(
  { uid }: ArgoRollout,
  objects: readonly RelatedObject[],
  resource: string,
  name: string,
): AnalysisObject | null {
  const found = (objects as readonly AnalysisObject[]).find(
    (candidate) =>
      candidate.resource === resource && candidate.name === name && isControlledBy(candidate, uid),
  );
  return found ?? null;
}

function analysisObjectOf(resource: ResourceType, object: KubeObject) {
  const { metadata } = object;
  return {
    ...relatedObjectFacts(resource, object),
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
