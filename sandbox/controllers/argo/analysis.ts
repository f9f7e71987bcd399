import type { JsonObject } from '@/lib/kube/json';
import { numberAt, objectsAt, textAt } from '@/lib/kube/read';
import { keyOf } from '@/server/cluster/reflector-store';
import {
  type AnalysisRun,
  type AnalysisStep,
  type ArgoStatus,
  HASH_LABEL,
  REVISION,
  secondsOf,
  stepsOf,
} from '@/sandbox/controllers/argo/argo-rollout';
import type { ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { CustomKind } from '@/sandbox/controllers/runtime/custom-kind';
import { controllerReference, isControlledBy } from '@/sandbox/controllers/objects/owner';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';
import type { Seen } from '@/sandbox/engine/stepped-rollout';

const VERDICTS: Readonly<Record<string, Seen['analysis']>> = {
  Successful: 'passed',
  Failed: 'failed',
  Error: 'failed',
  Inconclusive: 'inconclusive',
};

export function verdictOf(run: AnalysisRun | undefined): Seen['analysis'] {
  return VERDICTS[run?.status.phase ?? ''] ?? 'running';
}

export function summaryOf(run: AnalysisRun | undefined): NonNullable<ArgoStatus['canary']> {
  if (run === undefined) return {};
  const { phase = '', message } = run.status;
  return { currentStepAnalysisRunStatus: { name: run.metadata.name, status: phase, message } };
}

/** The analysis runs of a Rollout. */
export function runsOf({ kinds, rollout }: ArgoReconcile): AnalysisRun[] {
  const all = kinds.analysisRuns.resource?.store.inNamespace(rollout.metadata.namespace) ?? [];
  return all.filter((run) => isControlledBy(run, rollout));
}

/**
 * The run of the current step, which is started first where there is none; every other one is terminated.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/analysis.go
 */
export async function analyse(reconcile: ArgoReconcile): Promise<AnalysisRun | undefined> {
  const { rollout, stable, skipsSteps, isHalted, kinds } = reconcile;
  const { currentStepIndex = 0, canary, abort } = rollout.status;
  const step = stepsOf(rollout.spec)[currentStepIndex]?.analysis;
  const isOver = abort === true || skipsSteps || stable === undefined || step === undefined;
  const name = canary?.currentStepAnalysisRunStatus?.name;
  const known = runsOf(reconcile).find((run) => run.metadata.name === name);
  const run = isOver || known !== undefined || isHalted ? known : await begin(reconcile, step);
  const runs = kinds.analysisRuns.resource?.as('rollouts-controller');
  for (const other of runsOf(reconcile)) {
    if ((!isOver && other.metadata.uid === run?.metadata.uid) || verdictOf(other) !== 'running') continue;
    const asked = await runs?.merge(other, { spec: { terminate: true } });
    const status = { ...other.status, phase: 'Successful', message: 'Run Terminated' };
    if (asked !== undefined) await runs?.replaceStatus({ ...asked, status });
  }
  return isOver ? undefined : run;
}

async function begin(reconcile: ArgoReconcile, step: AnalysisStep): Promise<AnalysisRun | undefined> {
  const { rollout, kinds, hash, manager } = reconcile;
  const { namespace, annotations } = rollout.metadata;
  const runs = kinds.analysisRuns.resource?.as('rollouts-controller');
  const templates = kinds.analysisTemplates.resource?.store.inNamespace(namespace) ?? [];
  const named = (name: string) => templates.find(({ metadata }) => metadata.name === name);
  const revision = annotations?.[REVISION] ?? '';
  const index = String(rollout.status.currentStepIndex ?? 0);
  const name = `${rollout.metadata.name}-${hash}-${revision}-${index}`;
  // After a retry, the same step is analyzed once more.
  const count = runsOf(reconcile).filter(({ metadata }) => metadata.name.startsWith(name)).length;
  const made = await runs?.create(namespace, {
    metadata: {
      name: count === 0 ? name : `${name}.${count}`,
      labels: { [HASH_LABEL]: hash, 'rollout-type': 'Step', 'step-index': index },
      annotations: { [REVISION]: revision },
      ownerReferences: [controllerReference(rollout)],
    },
    spec: {
      metrics: step.templates?.flatMap(({ templateName }) => objectsAt(named(templateName)?.spec, 'metrics')),
      args: step.args,
    },
  });
  const status = { phase: 'Running', startedAt: timeText(manager.now()) };
  return made === undefined ? undefined : runs?.replaceStatus({ ...made, status });
}

/**
 * Completes analysis runs when all their metrics have been measured, and always successfully. A run without
 * metrics is left alone: a user or a test writes its phase.
 * https://argo-rollouts.readthedocs.io/en/stable/features/analysis/
 */
export function runAnalyses(manager: ControllerManager, kind: CustomKind<AnalysisRun>): void {
  const work = manager.register(async (key) => {
    const runs = kind.resource?.as('rollouts-controller');
    const run = runs?.store.get(key);
    const metrics = objectsAt(run?.spec, 'metrics');
    if (run?.status.phase !== 'Running' || metrics.length === 0) return;
    const leftMs = (timeOf(run.status.startedAt) ?? 0) + Math.max(...metrics.map(durationOf)) - manager.now();
    if (leftMs > 0) return work.addAfter(key, leftMs);
    const phase = 'Successful';
    const metricResults = metrics.map((metric) => {
      const count = countOf(metric);
      return { name: textAt(metric, 'name') ?? '', phase, count, successful: count };
    });
    await runs?.replaceStatus({ ...run, status: { ...run.status, phase, metricResults } });
  });
  kind.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
}

function countOf(metric: JsonObject): number {
  return numberAt(metric, 'count') ?? 1;
}

/** From the first measurement to the last, in milliseconds. */
function durationOf(metric: JsonObject): number {
  return (countOf(metric) - 1) * (secondsOf(textAt(metric, 'interval')) ?? 0) * 1000;
}
