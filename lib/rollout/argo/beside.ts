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
}

export function parseAnalysisRun(object: KubeObject): Trial {
  return trialOf(analysisRuns, object);
}

export function parseExperiment(object: KubeObject): Trial {
  return trialOf(experiments, object);
}

/** Those that the Rollout names. The status of the Rollout tells of a run that is not there, or not any more. */
export function trialsOf(rollout: ArgoRollout, objects: readonly BesideObject[]): BesideSummary[] {
  const trials = objects as readonly Trial[];
  const find = (resource: string, name: string) =>
    trials.find(
      (trial) =>
        trial.resource === resource &&
        trial.name === name &&
        (trial.controllerUid === null || trial.controllerUid === rollout.uid),
    );
  const runs = rollout.runs.map(({ name, status, message }): BesideSummary => {
    const run = find(analysisRuns.id, name);
    return {
      resource: analysisRuns.id,
      kind: analysisRuns.kind,
      name,
      phase: run?.phase ?? status,
      message: run?.message ?? message,
    };
  });
  if (rollout.experiment === null) return runs;
  const experiment = find(experiments.id, rollout.experiment);
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
  };
}
