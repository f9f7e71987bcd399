import { type RolloutRecord } from '@/lib/api/record';
import { type Mask } from '@/server/shared/mask';
import { type NotifiedEvent } from '@/server/notifications/event';

/** The message of an event: the same that the pages show, masked. Documented in docs/notifications.md. */
export interface Message {
  id: string;
  /** Whether it happened in the sandbox, where nothing is real. */
  sandbox: boolean;
  event: NotifiedEvent['kind'];
  at: string;
  /** A sentence. */
  text: string;
  /** Of the record's page; null where Shiplog does not know its own address. */
  url: string | null;
  workload: { cluster: string; resource: string; kind: string; namespace: string; name: string; uid: string };
  rollout: {
    recordId: string;
    from: number | null;
    to: number | null;
    startedAt: string | null;
    endedAt: string | null;
    outcome: RolloutRecord['outcome'];
    summary: string;
    cause: string | null;
    images: readonly { container: string; image: string }[];
    actor: { name: string; source: 'shiplog' | 'managedFields'; manager: string | null } | null;
  };
  /** Why it is stalled. */
  reason: string | null;
  revertedBy: { recordId: string; url: string | null; actor: string | null } | null;
  verdict: { by: string; at: string; version: number } | null;
}

export interface MessageContext {
  mask: Mask;
  publicUrl: string | undefined;
  sandbox: boolean;
}

const TEXT_CHARS_MAX = 2_000;
const IMAGES_MAX = 20;

export function messageOf(event: NotifiedEvent, context: MessageContext): Message {
  const { id, kind, at, record, revertedBy, review } = event;
  const { cluster, resource, namespace, name, uid } = record.workload;
  const mask = (text: string) => truncate(context.mask.text(text));
  const actor = actorOf(record.actor, mask);
  const reason = event.reason === null ? null : mask(event.reason);
  return {
    id,
    sandbox: context.sandbox,
    event: kind,
    at,
    text: truncate(`${context.sandbox ? 'Sandbox, nothing real: ' : ''}${sentenceOf(event, mask)}`),
    url: urlOf(record, context),
    workload: { cluster, resource, kind: record.workload.kind, namespace, name, uid },
    rollout: {
      recordId: record.id,
      from: record.from?.number ?? null,
      to: record.to.number,
      startedAt: record.startedAt,
      endedAt: record.endedAt,
      outcome: record.outcome,
      summary: mask(record.summary),
      cause: record.cause === null ? null : mask(record.cause),
      images: context.mask.images(record.images.slice(0, IMAGES_MAX)),
      actor,
    },
    reason,
    revertedBy:
      revertedBy === null
        ? null
        : {
            recordId: revertedBy.id,
            url: urlOf(revertedBy, context),
            actor: revertedBy.actor === null ? null : mask(revertedBy.actor.name),
          },
    verdict: review === null ? null : { by: mask(review.by), at: review.at, version: review.version },
  };
}

function actorOf(actor: RolloutRecord['actor'], mask: (text: string) => string): Message['rollout']['actor'] {
  if (actor === null) return null;
  const { name, source, manager } = actor;
  return { name: mask(name), source, manager: manager === null ? null : mask(manager) };
}

function sentenceOf(
  { kind, record, reason, revertedBy, review }: NotifiedEvent,
  mask: (text: string) => string,
) {
  const { namespace, name } = record.workload;
  const subject = `${name} in ${namespace}`;
  const target = record.to.number === null ? 'a new template' : `revision ${record.to.number}`;
  const summary = mask(record.summary);
  const by = actorText(record.actor, mask);
  switch (kind) {
    case 'started':
      return `${subject}: rollout of ${target}${by} started: ${summary}`;
    case 'stuck':
      return `${subject}: rollout of ${target}${by} is stuck: ${reason === null ? summary : mask(reason)}`;
    case 'failed':
      return `${subject}: rollout of ${target}${by} failed: ${summary}`;
    case 'rolledBack':
      return `${subject}: ${target} was rolled back${actorText(revertedBy?.actor ?? null, mask)}: ${summary}`;
    case 'badVerdict':
      return `${subject}: rollout of ${target}${by} was judged bad by ${mask(review?.by ?? 'somebody')}: ${summary}`;
    default:
      return kind satisfies never;
  }
}

/** A tool that signs for a person is no person. */
function actorText(actor: RolloutRecord['actor'], mask: (text: string) => string): string {
  if (actor === null) return '';
  return actor.name === actor.manager ? ` via ${mask(actor.name)}` : ` by ${mask(actor.name)}`;
}

function urlOf({ id }: RolloutRecord, { publicUrl }: MessageContext): string | null {
  return publicUrl === undefined ? null : `${publicUrl}/records/${encodeURIComponent(id)}`;
}

function truncate(text: string): string {
  return text.length <= TEXT_CHARS_MAX ? text : `${text.slice(0, TEXT_CHARS_MAX - 2)} …`.toWellFormed();
}

/**
 * The format of Slack's incoming webhooks, and of what imitates them.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function slackBody({ text, url }: Pick<Message, 'text' | 'url'>): string {
  const link = url === null ? '' : `\n<${escaped(url)}|Open the record>`;
  return JSON.stringify({ text: `${escaped(text)}${link}` });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
