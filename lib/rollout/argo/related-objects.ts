import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import { type ArgoRollout } from '@/lib/rollout/argo/parse';
import { analysisRuns, experiments } from '@/lib/rollout/argo/resources';
import { boundedText, boundedName } from '@/lib/rollout/bounded';
import { type RelatedObjectSummary } from '@/lib/api/rollouts';
import { type RelatedObject } from '@/lib/rollout/rollout-facts';
import { type ResourceType } from '@/lib/kube/resource';

/** An AnalysisRun or an Experiment: its result, not its measurements. */
export interface AnalysisObject extends RelatedObject {
  kind: string;
  phase: string | null;
  message: string | null;
  version: string;
  resourceVersion: string;
  /** The step that it analyzes, from 0; null where it analyzes none. */
  stepIndex: number | null;
}

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

/** The step of an analysis run, from 0; null where no run names one. */
export function analyzedStep(rollout: ArgoRollout, objects: readonly RelatedObject[]): number | null {
  const name = rollout.runs.find(({ role }) => role === 'step')?.name;
  if (name === undefined) return null;
  return findAnalysisObject(rollout, objects, analysisRuns.id, name)?.stepIndex ?? null;
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

function analysisObjectOf({ id, kind }: ResourceType, object: KubeObject): AnalysisObject {
  const { metadata, status } = object;
  return {
    resource: id,
    kind,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    controllerUid: controllerUidOf(object) ?? null,
    phase: boundedName(status, 'phase'),
    message: boundedText(status, 'message'),
    version: object.apiVersion.slice(object.apiVersion.lastIndexOf('/') + 1),
    resourceVersion: metadata.resourceVersion,
    stepIndex: stepIndexOf(metadata.labels?.['step-index']),
  };
}

function stepIndexOf(label: string | undefined): number | null {
  return label !== undefined && /^\d{1,4}$/.test(label) ? Number(label) : null;
}
