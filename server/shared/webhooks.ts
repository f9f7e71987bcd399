import { createHash } from 'node:crypto';
import { z } from 'zod';

export const eventKinds = ['started', 'stuck', 'failed', 'rolledBack', 'badVerdict'] as const;
export type EventKind = (typeof eventKinds)[number];

/** An address that receives events. */
export interface WebhookTarget {
  /**
   * The archive stores waiting notifications under it, since no address may be readable there. Of the name,
   * where it has one.
   */
  id: string;
  url: string;
  format: 'json' | 'slack';
  /** The address for people, without its secrets. */
  label: string;
}

export interface Webhooks {
  targets: readonly WebhookTarget[];
  /** Signs each request; null: no signature. */
  secret: string | null;
  events: readonly EventKind[];
  /** Empty: all. */
  namespaces: readonly string[];
}

export const noWebhooks: Webhooks = { targets: [], secret: null, events: eventKinds, namespaces: [] };

export const TARGETS_MAX = 10;

/**
 * An address: `https://…`, `http://…`, or one of these after `slack+`, with or without a name and `=` in front. No
 * problem quotes it: the address itself is often the secret.
 */
const webhookTarget = z.string().transform((text, context) => {
  const target = parseTarget(text);
  if (target !== undefined) return target;
  context.issues.push({ code: 'invalid_format', format: 'address', input: text });
  return z.NEVER;
});

export const webhookTargets = z.array(webhookTarget).superRefine((targets, context) => {
  if (targets.length > TARGETS_MAX)
    context.addIssue({ code: 'custom', message: `has more than ${TARGETS_MAX} URLs` });
  const ids = targets.map(({ id }) => id);
  const again = ids.findIndex((id, index) => ids.indexOf(id) < index);
  if (again >= 0)
    context.addIssue({ code: 'custom', message: `has two entries with the name of number ${again + 1}` });
});

/** `name=https://…`: another address of the same name gets the notifications that wait for this one. */
function parseTarget(part: string): WebhookTarget | undefined {
  const [, name, text = part] = /^([a-z0-9-]{1,40})=(.+)$/s.exec(part) ?? [];
  const format = text.startsWith('slack+') ? 'slack' : 'json';
  const address = format === 'slack' ? text.slice('slack+'.length) : text;
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol) || url.hash !== '') return undefined;
  if (url.username !== '' || url.password !== '') return undefined;
  const identity = name === undefined ? text : `name=${name}`;
  const id = createHash('sha256').update(identity).digest('hex').slice(0, 16);
  const hasMore = url.pathname !== '/' || url.search !== '';
  return { id, url: url.href, format, label: `${url.origin}/${hasMore ? '***' : ''}` };
}
