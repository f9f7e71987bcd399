import { type JsonObject } from '@/lib/kube/json';
import { objectsAt } from '@/lib/kube/read';
import {
  type AnalysisStep,
  HASH_LABEL,
  REVISION,
  type ArgoStatus,
  stepsOf,
} from '@/sandbox/controllers/argo/argo-rollout';
import { type AnalysisRun } from '@/sandbox/controllers/argo/argo-kinds';
import { type ArgoReconcile } from '@/sandbox/controllers/argo/argo-reconcile';
import { controllerReference, isControlledBy } from '@/sandbox/controllers/objects/owner';
import { timeText } from '@/sandbox/controllers/objects/time';

const FINISHED = new Set(['Successful', 'Failed', 'Error', 'Inconclusive']);

export type RunSummary = NonNullable<NonNullable<ArgoStatus['canary']>['currentStepAnalysisRunStatus']>;

/** The analysis runs of a Rollout, oldest first. */
export function runsOf({ kinds, rollout }: Pick<ArgoReconcile, 'kinds' | 'rollout'>): AnalysisRun[] {
  const all = kinds.analysisRuns.resource?.store.inNamespace(rollout.metadata.namespace) ?? [];
  return all.filter((run) => isControlledBy(run, rollout));
}

/**
 * Starts the analysis of the current step, or applies its result. Nothing is measured here: a run ends when
 * its phase is written.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/analysis.go
 */
export async function analyse(reconcile: ArgoReconcile): Promise<RunSummary | undefined> {
  const { rollout } = reconcile;
  const { currentStepIndex: index = 0, canary, promoteFull, stableRS } = rollout.status;
  const step = stepsOf(rollout.spec)[index];
  const isOver = reconcile.isAborted || promoteFull === true || stableRS === undefined;
  const name = canary?.currentStepAnalysisRunStatus?.name;
  const known = runsOf(reconcile).find((run) => run.metadata.name === name);
  const run =
    step?.analysis === undefined || isOver
      ? undefined
      : (known ?? (await begin(reconcile, step.analysis, index)));
  for (const other of runsOf(reconcile))
    if (other.metadata.uid !== run?.metadata.uid && !isFinished(other)) await terminate(reconcile, other);
  if (run === undefined) return undefined;
  assessRun(reconcile, run);
  const { phase = '', message } = run.status;
  return { name: run.metadata.name, status: phase, ...(message !== undefined && { message }) };
}

function assessRun({ pause }: ArgoReconcile, { status }: AnalysisRun): void {
  if (status.phase === 'Failed' || status.phase === 'Error')
    pause.abort(`Step-based analysis phase error/failed: ${status.message ?? ''}`);
  if (status.phase === 'Inconclusive') pause.begin('InconclusiveAnalysisRun');
}

async function begin(
  reconcile: ArgoReconcile,
  step: AnalysisStep,
  index: number,
): Promise<AnalysisRun | undefined> {
  const runs = reconcile.kinds.analysisRuns.resource?.as('rollouts-controller');
  if (runs === undefined || reconcile.isHalted) return undefined;
  const { rollout } = reconcile;
  const revision = rollout.metadata.annotations?.[REVISION] ?? '';
  const made = await runs.create(rollout.metadata.namespace, {
    metadata: {
      name: freeName(reconcile, `${rollout.metadata.name}-${reconcile.hash}-${revision}-${index}`),
      labels: { [HASH_LABEL]: reconcile.hash, 'rollout-type': 'Step', 'step-index': String(index) },
      annotations: { [REVISION]: revision },
      ownerReferences: [controllerReference(rollout)],
    },
    spec: { metrics: metricsOf(reconcile, step), ...(step.args && { args: [...step.args] }) },
  });
  const status = { phase: 'Running', startedAt: timeText(reconcile.manager.now()) };
  return runs.replaceStatus({ ...made, status });
}

/** After a retry, the same step is analyzed once more. */
function freeName(reconcile: ArgoReconcile, name: string): string {
  const taken = new Set(runsOf(reconcile).map(({ metadata }) => metadata.name));
  let free = name;
  for (let count = 1; taken.has(free); count += 1) free = `${name}.${count}`;
  return free;
}

function metricsOf({ kinds, rollout }: ArgoReconcile, { templates = [] }: AnalysisStep): JsonObject[] {
  const all = kinds.analysisTemplates.resource?.store.inNamespace(rollout.metadata.namespace) ?? [];
  return templates.flatMap(({ templateName }) => {
    const template = all.find(({ metadata }) => metadata.name === templateName);
    return objectsAt(template?.spec, 'metrics');
  });
}

async function terminate({ kinds }: ArgoReconcile, run: AnalysisRun): Promise<void> {
  const runs = kinds.analysisRuns.resource?.as('rollouts-controller');
  const asked = await runs?.merge(run, { spec: { terminate: true } });
  if (asked === undefined) return;
  await runs?.replaceStatus({
    ...asked,
    status: { ...asked.status, phase: 'Successful', message: 'Run Terminated' },
  });
}

function isFinished({ status }: AnalysisRun): boolean {
  return FINISHED.has(status.phase ?? '');
}
