import type { Batch, CanaryMetric, RolloutPlan, Webhook, WebhookType } from '@/lib/oam/plan';
import type { Measurement } from '@/lib/oam/rollout';
import type { CheckAnswer, Check } from '@/lib/oam/reconcile-pass';

/** The webhooks of a type as checks; a batch adds its own to those of the plan. */
export function webhookChecks(
  plan: RolloutPlan,
  batch: Batch | undefined,
  type: WebhookType,
  phase: string,
): readonly Check[] {
  return webhooksOf(plan, batch)
    .filter((webhook) => webhook.type === type)
    .map((webhook, index) => ({ is: 'webhook', id: `${type}/${index}`, webhook, phase }));
}

/** The message of the first answer that does not agree; undefined when all agree. */
export function refusalOf(answers: readonly CheckAnswer[]): string | undefined {
  for (const answer of answers) if (answer.is === 'refused') return answer.problem;
  return undefined;
}

/** The metrics to measure now: those that have not passed, each after its interval. */
export function metricChecks(
  metrics: readonly CanaryMetric[],
  measures: readonly Measurement[],
  nowMs: number,
): readonly Check[] {
  return metrics.flatMap((metric, index) => {
    const last = measures.find(({ name }) => name === metricId(metric, index));
    const isDue = last === undefined || nowMs >= Date.parse(last.takenAt) + metric.intervalMs;
    if (last?.hasPassed === true || !isDue) return [];
    return [{ is: 'metric', id: metricId(metric, index), metric } as const];
  });
}

export function metricsOf(plan: RolloutPlan, batch: Batch | undefined): readonly CanaryMetric[] {
  return [...plan.metrics, ...(batch?.metrics ?? [])];
}

/** A metric by its name; one without a name gets its index. */
export function metricId({ name }: CanaryMetric, index: number): string {
  return `${name === '' ? 'metric' : name}#${index}`;
}

function isWithin(value: number, { min, max }: Pick<CanaryMetric, 'min' | 'max'>): boolean {
  return value >= (min ?? -Infinity) && value <= (max ?? Infinity);
}

/** How an answer counts for the metric. Without a value it has neither failed nor passed. */
export function recordMeasurement(
  last: Measurement | undefined,
  { id, metric }: Extract<Check, { is: 'metric' }>,
  answer: CheckAnswer,
  takenAt: string,
): Measurement {
  const before = last?.failures ?? 0;
  if (answer.is !== 'measured') return { name: id, takenAt, value: null, failures: before, hasPassed: false };
  const { value } = answer;
  const hasPassed = isWithin(value, metric);
  return { name: id, takenAt, value, failures: hasPassed ? 0 : before + 1, hasPassed };
}

function webhooksOf(plan: RolloutPlan, batch: Batch | undefined): readonly Webhook[] {
  return [...plan.webhooks, ...(batch?.webhooks ?? [])];
}
