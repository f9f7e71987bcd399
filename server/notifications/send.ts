import 'server-only';
import { createHmac } from 'node:crypto';
import { Agent, request } from 'undici';
import { type Message, slackBody } from '@/server/notifications/message';
import type { WebhookTarget } from '@/server/shared/webhooks';
import { failSpan, traced } from '@/server/shared/traced';
import { version } from '@/server/shared/version';

/** Null when the target accepted it, otherwise why not, without its address. */
export type Send = (
  target: WebhookTarget,
  secret: string | null,
  message: Message,
  nowMs: number,
  signal: AbortSignal,
) => Promise<string | null>;

const TIMEOUT_MS = 10_000;
const ANSWER_BYTES_MAX = 64 * 1024;

/** Sends with connections of its own, which `close` ends. Follows no redirect: the operator chose the address. */
export function createSender(timeoutMs = TIMEOUT_MS): { send: Send; close: () => Promise<void> } {
  const dispatcher = new Agent({ connections: 2, connect: { timeout: timeoutMs } });
  const send: Send = (target, secret, message, nowMs, stopping) =>
    traced(
      () => ({ name: 'POST', kind: 'CLIENT', attributes: attributesOf(target, message) }),
      async (span) => {
        const failure = await post(dispatcher, timeoutMs, target, secret, message, nowMs, stopping);
        if (failure !== null) failSpan(span, failure.type);
        return failure?.reason ?? null;
      },
    );
  return { send, close: () => dispatcher.destroy() };
}

/** Without the address, which may be a secret. */
function attributesOf({ id }: WebhookTarget, { event }: Message): Record<string, string> {
  return {
    'http.request.method': 'POST',
    'shiplog.notification.target': id,
    'shiplog.notification.event': event,
  };
}

interface Failure {
  /** As an `error.type` of a span. https://opentelemetry.io/docs/specs/semconv/registry/attributes/error/ */
  readonly type: string;
  readonly reason: string;
}

async function post(
  dispatcher: Agent,
  timeoutMs: number,
  { url, format }: WebhookTarget,
  secret: string | null,
  message: Message,
  nowMs: number,
  stopping: AbortSignal,
): Promise<Failure | null> {
  const body = format === 'slack' ? slackBody(message) : JSON.stringify(message);
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const answer = await request(url, {
      dispatcher,
      method: 'POST',
      signal: AbortSignal.any([timeout, stopping]),
      headers: {
        'content-type': 'application/json',
        'user-agent': `Shiplog/${version}`,
        'shiplog-event': message.event,
        'shiplog-event-id': message.id,
        ...(secret === null ? {} : { 'shiplog-signature': signatureOf(secret, body, nowMs) }),
      },
      body,
    });
    await answer.body.dump({ limit: ANSWER_BYTES_MAX }).catch(() => undefined);
    return failureOf(answer.statusCode);
  } catch (error) {
    if (timeout.aborted) return { type: 'timeout', reason: `No response within ${timeoutMs / 1_000} s.` };
    return unreachable(error);
  }
}

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 over the time, a dot and the body, so that an old message can't be replayed. */
function signatureOf(secret: string, body: string, nowMs: number): string {
  const seconds = Math.floor(nowMs / 1_000);
  return `t=${seconds},v1=${createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')}`;
}

function failureOf(status: number): Failure | null {
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return {
    type: String(status),
    reason: `Status ${status}${isRedirect ? '; redirects are not followed' : ''}.`,
  };
}

/** The message of a failed connection may name its address. */
function unreachable(error: unknown): Failure {
  const { code, cause } = error as { code?: unknown; cause?: { code?: unknown } };
  const type = [cause?.code, code].find((value) => typeof value === 'string');
  return { type: type ?? '_OTHER', reason: `Unreachable${type === undefined ? '' : ` (${type})`}.` };
}
