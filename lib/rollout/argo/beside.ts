import { controllerUidOf, type KubeObject } from '@/lib/kube/object';
import { type ArgoRollout } from '@/lib/rollout/argo/parse';
import { analysisRuns, experiments } from '@/lib/rollout/argo/resources';
import { textOf, word } from '@/lib/rollout/bounded';
import { type BesideSummary } from '@/lib/rollout/rollout';
import { type BesideObject } from '@/lib/rollout/system';
import { type ResourceType } from '@/lib/workloads/resource';

/** An AnalysisRun or an Experiment: what it has come to, not what it measures. */
export interface Trial extends BesideObject {
  kind: string;
  phase: string | null;
  message: string | null;
  version: string;
  resourceVersion: string;
  /** The step that it judges, from 0; null where it judges none. */
  stepIndex: number | null;
}

export function parseAnalysisRun(object: KubeObject): Trial {
  return trialOf(analysisRuns, object);
}

export function parseExperiment(object: KubeObject): Trial {
  return trialOf(experiments, object);
}

/** Those that the Rollout names. The status of the Rollout tells of a run that is not there, or not any more. */
export function trialsOf(rollout: ArgoRollout, objects: readonly BesideObject[]): BesideSummary[] {
  const runs = rollout.runs.map(({ name, status, message }): BesideSummary => {
    const run = findTrial(rollout, objects, analysisRuns.id, name);
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

/** The experiment of the step at hand; null where it is not there, or there is none. */
export function experimentOf(rollout: ArgoRollout, objects: readonly BesideObject[]): Trial | null {
  if (rollout.experiment === null) return null;
  return findTrial(rollout, objects, experiments.id, rollout.experiment) ?? null;
}

/** The step that the run of an analysis stands for, from 0; null where no run tells. */
export function judgedStep(rollout: ArgoRollout, objects: readonly BesideObject[]): number | null {
  const name = rollout.runs.find(({ role }) => role === 'step')?.name;
  if (name === undefined) return null;
  return findTrial(rollout, objects, analysisRuns.id, name)?.stepIndex ?? null;
}

function findTrial(
  { uid }: ArgoRollout,
  objects: readonly BesideObject[],
  resource: string,
  name: string,
): Trial | undefined {
  return (objects as readonly Trial[]).find(
    (trial) =>
      trial.resource === resource &&
      trial.name === name &&
      (trial.controllerUid === null || trial.controllerUid === uid),
  );
}

function trialOf({ id, kind }: ResourceType, object: KubeObject): Trial {
  const { metadata, status } = object;
  return {
    resource: id,
    kind,
    uid: metadata.uid,
    namespace: metadata.namespace ?? '-',
    name: metadata.name,
    controllerUid: controllerUidOf(object) ?? null,
    phase: word(status, 'phase'),
    message: textOf(status, 'message'),
    version: object.apiVersion.slice(object.apiVersion.lastIndexOf('/') + 1),
    resourceVersion: metadata.resourceVersion,
    stepIndex: stepIndexOf(metadata.labels?.['step-index']),
  };
}

function stepIndexOf(label: string | undefined): number | null {
  return label !== undefined && /^\d{1,4}$/.test(label) ? Number(label) : null;
}
