import { type JsonObject } from '@/lib/kube/json';
import { objectsAt } from '@/lib/workloads/read';
import {
  type AnalysisStep,
  HASH_LABEL,
  REVISION,
  type RolloutStatus,
  stepsOf,
} from '@/server/sandbox/controllers/argo/argo-rollout';
import { type AnalysisRun } from '@/server/sandbox/controllers/argo/argo-kinds';
import { type Turn } from '@/server/sandbox/controllers/argo/turn';
import { controllerReference, isControlledBy } from '@/server/sandbox/controllers/objects/owner';
import { timeText } from '@/server/sandbox/controllers/objects/time';

const FINISHED = new Set(['Successful', 'Failed', 'Error', 'Inconclusive']);

export type RunSummary = NonNullable<NonNullable<RolloutStatus['canary']>['currentStepAnalysisRunStatus']>;

/** The analysis runs of a Rollout, oldest first. */
export function runsOf({ kinds, rollout }: Pick<Turn, 'kinds' | 'rollout'>): AnalysisRun[] {
  const all = kinds.analysisRuns.resource?.store.in(rollout.metadata.namespace) ?? [];
  return all.filter((run) => isControlledBy(run, rollout));
}

/**
 * Begins the analysis of the step at hand, or takes up what came of it. Nothing is measured here: who wants a run to end
 * writes its phase.
 * https://github.com/argoproj/argo-rollouts/blob/master/rollout/analysis.go
 */
export async function analyse(turn: Turn): Promise<RunSummary | undefined> {
  const { rollout } = turn;
  const { currentStepIndex: index = 0, canary, promoteFull, stableRS } = rollout.status;
  const step = stepsOf(rollout.spec)[index];
  const isOver = turn.isAborted || promoteFull === true || stableRS === undefined;
  const name = canary?.currentStepAnalysisRunStatus?.name;
  const known = runsOf(turn).find((run) => run.metadata.name === name);
  const run =
    step?.analysis === undefined || isOver ? undefined : (known ?? (await begin(turn, step.analysis, index)));
  for (const other of runsOf(turn))
    if (other.metadata.uid !== run?.metadata.uid && !isFinished(other)) await terminate(turn, other);
  if (run === undefined) return undefined;
  judge(turn, run);
  const { phase = '', message } = run.status;
  return { name: run.metadata.name, status: phase, ...(message !== undefined && { message }) };
}

function judge({ pause }: Turn, { status }: AnalysisRun): void {
  if (status.phase === 'Failed' || status.phase === 'Error')
    pause.abort(`Step-based analysis phase error/failed: ${status.message ?? ''}`);
  if (status.phase === 'Inconclusive') pause.begin('InconclusiveAnalysisRun');
}

async function begin(turn: Turn, step: AnalysisStep, index: number): Promise<AnalysisRun | undefined> {
  const runs = turn.kinds.analysisRuns.resource?.as('rollouts-controller');
  if (runs === undefined || turn.isHalted) return undefined;
  const { rollout } = turn;
  const revision = rollout.metadata.annotations?.[REVISION] ?? '';
  const made = await runs.create(rollout.metadata.namespace, {
    metadata: {
      name: freeName(turn, `${rollout.metadata.name}-${turn.hash}-${revision}-${index}`),
      labels: { [HASH_LABEL]: turn.hash, 'rollout-type': 'Step', 'step-index': String(index) },
      annotations: { [REVISION]: revision },
      ownerReferences: [controllerReference(rollout)],
    },
    spec: { metrics: metricsOf(turn, step), ...(step.args && { args: [...step.args] }) },
  });
  const status = { phase: 'Running', startedAt: timeText(turn.world.now()) };
  return runs.replaceStatus({ ...made, status });
}

/** After a retry, the same step is analysed once more. */
function freeName(turn: Turn, name: string): string {
  const taken = new Set(runsOf(turn).map(({ metadata }) => metadata.name));
  let free = name;
  for (let count = 1; taken.has(free); count += 1) free = `${name}.${count}`;
  return free;
}

function metricsOf({ kinds, rollout }: Turn, { templates = [] }: AnalysisStep): JsonObject[] {
  const all = kinds.analysisTemplates.resource?.store.in(rollout.metadata.namespace) ?? [];
  return templates.flatMap(({ templateName }) => {
    const template = all.find(({ metadata }) => metadata.name === templateName);
    return objectsAt(template?.spec, 'metrics');
  });
}

async function terminate({ kinds }: Turn, run: AnalysisRun): Promise<void> {
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
