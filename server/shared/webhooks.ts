import { createHash } from 'node:crypto';

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

const TARGETS_MAX = 10;
const SECRET_CHARS_MIN = 16;

/**
 * Addresses with commas between them, each `https://…`, `http://…`, or one of these after `slack+`, with or
 * without a name and `=` in front. Returns a problem as the end of a sentence, without the address: the
 * address itself is often the secret.
 */
export function parseTargets(text: string): WebhookTarget[] | string {
  const parts = [...new Set(text.split(',').map((part) => part.trim()))].filter((part) => part !== '');
  if (parts.length > TARGETS_MAX) return `has more than ${TARGETS_MAX} addresses`;
  const targets: WebhookTarget[] = [];
  for (const [index, part] of parts.entries()) {
    const target = parseTarget(part);
    if (target === undefined)
      return `has an address (number ${index + 1}) that is not like https://host/path or slack+https://host/path`;
    if (targets.some(({ id }) => id === target.id)) return `has the name of number ${index + 1} twice`;
    targets.push(target);
  }
  return targets;
}

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

export function parseEvents(text: string): EventKind[] | string {
  const names = [...new Set(text.split(',').map((name) => name.trim()))].filter((name) => name !== '');
  const kinds = names.map((name) => eventKinds.find((kind) => kind === name));
  const wrong = names.filter((_, index) => kinds[index] === undefined);
  if (wrong.length > 0)
    return `names what is no event: ${wrong.join(', ')}; there are ${eventKinds.join(', ')}`;
  return kinds.filter((kind) => kind !== undefined);
}

/** The problem of a secret, without the secret. */
export function problemOfSecret(secret: string): string | undefined {
  return secret.length < SECRET_CHARS_MIN
    ? `must have at least ${SECRET_CHARS_MIN} characters, such as those of: openssl rand -hex 32`
    : undefined;
}
