import 'server-only';
import { Agent, request } from 'undici';
import type { Webhook } from '@/lib/oam/plan';
import { targetNameOf, type ControlledRollout } from '@/lib/oam/rollout';
import type { CheckAnswer, Check } from '@/lib/oam/reconcile-pass';
import { isJsonObject, type Json, type JsonObject, parseJson } from '@/lib/kube/json';
import { objectAt, textAt, valueAt } from '@/lib/kube/read';
import {
  assertAllowed,
  guardedLookup,
  WebhookRefusal,
  type WebhookRules,
} from '@/server/controllers/oam-rollout/webhook-rules';
import { version } from '@/server/shared/version';

export interface CheckerOptions {
  /** The address of queries; without it metrics can't be measured. */
  readonly prometheusUrl: string | undefined;
  /** Entries of a ConfigMap; undefined where there is none. */
  readonly configMap: (namespace: string, name: string) => Promise<JsonObject | undefined>;
  /** What webhooks can call over the network. */
  readonly webhooks: WebhookRules;
  readonly timeoutMs?: number;
  /** Sends requests; over the network by default. */
  readonly send?: SendQuery;
}

export type SendQuery = (
  url: string,
  request: {
    readonly method: string;
    readonly body?: string;
    readonly headers?: Readonly<Record<string, string>>;
  },
) => Promise<{ readonly status: number; readonly text: string }>;

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 1024 * 1024;
const THRESHOLD = 3;
/** Of upstream: the highest accepted status where none is expected explicitly. */
const STATUS_MAX = 202;

/**
 * Calls webhooks, within their rules, and queries Prometheus. No answer within the time is a rejection; redirects are not
 * followed.
 */
export class Checker {
  readonly #options: CheckerOptions;
  readonly #timeoutMs: number;
  readonly #dispatchers: readonly Agent[];
  readonly #sendWebhook: SendQuery;
  readonly #sendQuery: SendQuery;

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.#timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
    const connect = { timeout: this.#timeoutMs };
    const queries = new Agent({ connections: 2, connect });
    const lookup = guardedLookup(options.webhooks);
    const webhooks = new Agent({ connections: 2, connect: { ...connect, lookup } });
    this.#dispatchers = [queries, webhooks];
    this.#sendQuery = options.send ?? ((url, asked) => this.#request(queries, url, asked));
    this.#sendWebhook =
      options.send ??
      (async (url, asked) => {
        assertAllowed(url, asked.method, options.webhooks);
        return this.#request(webhooks, url, asked);
      });
  }

  async close(): Promise<void> {
    await Promise.all(this.#dispatchers.map((dispatcher) => dispatcher.destroy()));
  }

  /** Never throws: a failure is the answer. */
  async evaluate(rollout: ControlledRollout, check: Check): Promise<CheckAnswer> {
    try {
      return check.is === 'webhook'
        ? await this.#callWebhook(rollout, check)
        : await this.#measureMetric(rollout, check);
    } catch (error) {
      return refused(reasonOf(error));
    }
  }

  async #callWebhook(
    { metadata }: ControlledRollout,
    { webhook, phase }: Extract<Check, { is: 'webhook' }>,
  ): Promise<CheckAnswer> {
    const { name, namespace = '' } = metadata;
    const body = JSON.stringify({ name, namespace, phase, metadata: webhook.metadata });
    const headers = { 'content-type': 'application/json' };
    try {
      const { status } = await this.#sendWebhook(webhook.url, { method: webhook.method, body, headers });
      return isExpected(webhook, status) ? { is: 'agreed' } : refused(`${webhook.name} answered ${status}`);
    } catch (error) {
      if (!(error instanceof WebhookRefusal)) throw error;
      return refused(`${webhook.name} was not called: ${error.message}`);
    }
  }

  async #measureMetric(
    rollout: ControlledRollout,
    { metric }: Extract<Check, { is: 'metric' }>,
  ): Promise<CheckAnswer> {
    const { prometheusUrl, configMap } = this.#options;
    const { metadata, target } = rollout;
    if (prometheusUrl === undefined) return refused('SHIPLOG_PROMETHEUS_URL is not set');
    if (metric.template === undefined)
      return refused(`metric ${metric.name} has no ConfigMap with its query`);
    const template = await configMap(metadata.namespace ?? '', metric.template);
    const query = textAt(template, 'query');
    if (query === undefined) return refused(`ConfigMap ${metric.template} has no query`);
    const placeholders: Readonly<Record<string, string>> = {
      namespace: metadata.namespace ?? '',
      name: metadata.name,
      target: target === undefined ? '' : targetNameOf(target),
    };
    const asked = query.replace(
      /\{\{\s*(\w+)\s*\}\}/g,
      (whole, placeholder: string) => placeholders[placeholder] ?? whole,
    );
    const url = new URL('api/v1/query', prometheusUrl.replace(/\/*$/, '/'));
    url.searchParams.set('query', asked);
    const { status, text } = await this.#sendQuery(url.href, { method: 'GET' });
    const value = status === 200 ? valueOf(parseJson(text)) : undefined;
    if (value === undefined) return refused(`metric ${metric.name} has no value (${status})`);
    return { is: 'measured', value, threshold: thresholdOf(textAt(template, 'threshold')) };
  }

  async #request(
    dispatcher: Agent,
    url: string,
    { method, body, headers = {} }: Parameters<SendQuery>[1],
  ): Promise<{ status: number; text: string }> {
    const answer = await request(url, {
      dispatcher,
      method,
      signal: AbortSignal.timeout(this.#timeoutMs),
      headers: { 'user-agent': `Shiplog/${version}`, ...headers },
      ...(body !== undefined && { body }),
    });
    let text = '';
    answer.body.setEncoding('utf8');
    for await (const part of answer.body) {
      text += String(part);
      if (text.length > ANSWER_BYTES_MAX) throw new Error('the response is too long');
    }
    return { status: answer.statusCode, text };
  }
}

function isExpected({ expectedStatus }: Webhook, status: number): boolean {
  return expectedStatus.length === 0 ? status <= STATUS_MAX : expectedStatus.includes(status);
}

/** A scalar, or the only sample of a vector. https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries */
function valueOf(answer: Json): number | undefined {
  const data = objectAt(answer, 'data');
  const result: Json[] = Array.isArray(data?.result) ? data.result : [];
  const single = textAt(data, 'resultType') === 'scalar' ? result : onlySampleOf(result);
  const text = single?.[1];
  const value = typeof text === 'string' ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
}

function onlySampleOf(result: readonly Json[]): Json[] | undefined {
  const [first] = result;
  const sample = result.length === 1 && isJsonObject(first) ? valueAt(first, 'value') : undefined;
  return Array.isArray(sample) ? sample : undefined;
}

/** How many consecutive measurements out of range are a failure. */
function thresholdOf(text: string | undefined): number {
  const number = Number(text);
  return text !== undefined && Number.isInteger(number) && number > 0 ? number : THRESHOLD;
}

function refused(problem: string): CheckAnswer {
  return { is: 'refused', problem };
}

/** The message of a failed connection may name its address. */
function reasonOf(error: unknown): string {
  if (error instanceof Error && error.name === 'TimeoutError') return 'the request timed out';
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const known = [cause?.code, code].find((value) => typeof value === 'string');
  return `could not be reached${known === undefined ? '' : ` (${known})`}`;
}
