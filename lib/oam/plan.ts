import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';

/** A number of pods, or a share of them such as `25%`. */
export type Amount = number | string;

type Strategy = 'IncreaseFirst' | 'DecreaseFirst';

const webhookTypes = [
  'initialize-rollout',
  'pre-batch-rollout',
  'post-batch-rollout',
  'finalize-rollout',
] as const;
export type WebhookType = (typeof webhookTypes)[number];

export interface Webhook {
  readonly type: WebhookType;
  readonly name: string;
  readonly url: string;
  readonly method: string;
  readonly expectedStatus: readonly number[];
  readonly metadata: Readonly<Record<string, string>>;
}

export interface CanaryMetric {
  readonly name: string;
  readonly intervalMs: number;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** A ConfigMap in the rollout's namespace that holds the query. */
  readonly template: string | undefined;
}

/** "≤ 1", "1–5"; "none" where a metric has no limit. */
export function rangeText({ min, max }: Pick<CanaryMetric, 'min' | 'max'>): string {
  if (min !== undefined && max !== undefined) return `${min}–${max}`;
  if (min !== undefined) return `≥ ${min}`;
  return max === undefined ? 'none' : `≤ ${max}`;
}

export interface Batch {
  readonly replicas: Amount | undefined;
  /** Names of the pods in the batch. */
  readonly podList: readonly string[];
  readonly maxUnavailable: Amount | undefined;
  /** Between two pods of the batch; 0: all are requested at once. */
  readonly instanceIntervalMs: number;
  readonly webhooks: readonly Webhook[];
  readonly metrics: readonly CanaryMetric[];
}

/** A rollout plan in either spelling of its fields. */
export interface RolloutPlan {
  readonly strategy: Strategy;
  readonly targetSize: number | undefined;
  readonly numBatches: number | undefined;
  readonly batches: readonly Batch[];
  /** Index of the last batch that is allowed to run; undefined: all are. */
  readonly partition: number | undefined;
  readonly isPaused: boolean;
  readonly revertOnDelete: boolean;
  readonly webhooks: readonly Webhook[];
  readonly metrics: readonly CanaryMetric[];
}

const INTERVAL_MS = 60_000;
const UNIT_MS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Reads `spec.rolloutPlan`; unreadable content counts as absent. */
export function parsePlan(plan: JsonObject): RolloutPlan {
  return {
    strategy: textAt(plan, 'rolloutStrategy') === 'DecreaseFirst' ? 'DecreaseFirst' : 'IncreaseFirst',
    targetSize: numberAt(plan, 'targetSize'),
    numBatches: numberAt(plan, 'numBatches'),
    batches: objectsAt(plan, 'rolloutBatches').map(parseBatch),
    partition: numberAt(plan, 'batchPartition') ?? numberAt(plan, 'lastBatchToRollout'),
    isPaused: valueAt(plan, 'paused') === true,
    revertOnDelete: valueAt(plan, 'revertOnDelete') === true,
    webhooks: parseWebhooks(plan, 'rolloutWebhooks'),
    metrics: objectsAt(plan, 'canaryMetric').map(parseMetric),
  };
}

/** Milliseconds of a duration such as `1m30s`; undefined for anything else. */
export function durationMs(text: string | undefined): number | undefined {
  if (text === undefined || !/^(\d+(\.\d+)?(ms|s|m|h))+$/.test(text)) return undefined;
  const parts = text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g);
  return [...parts].reduce((sum, [, number, unit = '']) => sum + Number(number) * (UNIT_MS[unit] ?? 0), 0);
}

function parseBatch(batch: JsonObject): Batch {
  return {
    replicas: amountOf(batch.replicas),
    podList: textsIn(batch.podList),
    maxUnavailable: amountOf(batch.maxUnavailable),
    instanceIntervalMs: Math.max(0, numberAt(batch, 'instanceInterval') ?? 0) * 1_000,
    webhooks: parseWebhooks(batch, 'batchRolloutWebhooks'),
    metrics: objectsAt(batch, 'canaryMetric').map(parseMetric),
  };
}

function amountOf(value: Json | undefined): Amount | undefined {
  return typeof value === 'number' || typeof value === 'string' ? value : undefined;
}

function parseWebhooks(from: JsonObject, member: string): Webhook[] {
  return objectsAt(from, member).flatMap((webhook) => {
    const type = webhookTypes.find((known) => known === webhook.type);
    const url = textAt(webhook, 'url');
    if (type === undefined || url === undefined) return [];
    const statuses: Json[] = Array.isArray(webhook.expectedStatus) ? webhook.expectedStatus : [];
    return [
      {
        type,
        name: textAt(webhook, 'name') ?? '',
        url,
        method: textAt(webhook, 'method') ?? 'POST',
        expectedStatus: statuses.filter((status) => typeof status === 'number'),
        metadata: textsOf(webhook.metadata),
      },
    ];
  });
}

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function textsOf(value: Json | undefined): Record<string, string> {
  const members = isJsonObject(value) ? Object.entries(value) : [];
  return Object.fromEntries(
    members.filter((member): member is [string, string] => typeof member[1] === 'string'),
  );
}

function parseMetric(metric: JsonObject): CanaryMetric {
  const range = objectAt(metric, 'metricsRange');
  return {
    name: textAt(metric, 'name') ?? '',
    intervalMs: durationMs(textAt(metric, 'interval')) ?? INTERVAL_MS,
    min: boundOf(range?.min),
    max: boundOf(range?.max),
    template: textAt(metric, 'templateRef', 'name'),
  };
}

/** Integers, or text for other numbers. */
function boundOf(value: Json | undefined): number | undefined {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}
