import { type JsonObject } from '@/lib/kube/json';
import { numberAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { type AnalysisRun, type ArgoKinds } from '@/sandbox/controllers/argo/argo-kinds';
import { secondsOf } from '@/sandbox/controllers/argo/argo-rollout';
import { type Worklist } from '@/server/controllers/engine/work-queue';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { timeOf, timeText } from '@/sandbox/controllers/objects/time';

/**
 * Completes the metrics of analysis runs on schedule, and always successfully. A run without metrics is left
 * alone: a user or a test writes its phase.
 * https://argo-rollouts.readthedocs.io/en/stable/features/analysis/
 */
export function runAnalyses(
  manager: ControllerManager,
  { analysisRuns }: Pick<ArgoKinds, 'analysisRuns'>,
): void {
  const work: Worklist = manager.register(async (key) => {
    const runs = analysisRuns.resource?.as('rollouts-controller');
    const run = runs?.store.get(key);
    if (runs === undefined || run === undefined || run.status.phase !== 'Running') return;
    const measured = measure(run, manager.now());
    if (measured === undefined) return;
    if (measured.status !== undefined)
      await runs.replaceStatus({ ...run, status: { ...run.status, ...measured.status } });
    again(work, key, measured.nextMs);
  });
  analysisRuns.onChange(({ object }) => {
    if (object !== undefined) work.add(keyOf(object));
  });
}

function again(work: Worklist, key: ObjectKey, ms: number): void {
  if (Number.isFinite(ms)) work.addAfter(key, ms);
}

/** The changed status, and the time until the next measurement. Undefined for a run without metrics. */
function measure(
  run: AnalysisRun,
  now: number,
): { status: JsonObject | undefined; nextMs: number } | undefined {
  const metrics = objectsAt(run.spec, 'metrics');
  const begun = timeOf(run.status.startedAt);
  if (metrics.length === 0 || begun === undefined) return undefined;
  const plans = metrics.map((metric) => planOf(metric, begun, now));
  const isOver = plans.every(({ taken, count }) => taken === count);
  const before = objectsAt(run.status as JsonObject, 'metricResults').map(
    (result) => numberAt(result, 'count') ?? 0,
  );
  const hasNews = isOver || plans.some(({ taken }, index) => taken !== (before[index] ?? 0));
  const metricResults = plans.map(({ name, taken, count, at }) => ({
    name,
    phase: taken === count ? 'Successful' : 'Running',
    count: taken,
    successful: taken,
    measurements: Array.from({ length: taken }, (_, index) => ({
      phase: 'Successful',
      startedAt: timeText(at(index)),
      finishedAt: timeText(at(index)),
    })),
  }));
  const nextMs = Math.min(
    ...plans.map(({ taken, count, at }) => (taken === count ? Infinity : at(taken) - now)),
  );
  return {
    status: hasNews ? { phase: isOver ? 'Successful' : 'Running', metricResults } : undefined,
    nextMs,
  };
}

function planOf(metric: JsonObject, begun: number, now: number) {
  const count = Number(valueAt(metric, 'count') ?? 1);
  const everyMs = (secondsOf(textAt(metric, 'interval')) ?? 0) * 1000;
  const at = (index: number) => begun + index * everyMs;
  const due = everyMs === 0 ? count : Math.floor((now - begun) / everyMs) + 1;
  return { name: textAt(metric, 'name') ?? '', count, taken: Math.min(count, due), at };
}
