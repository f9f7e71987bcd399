import type { Actor, actorSchema, Answer, imageSchema } from '@/lib/api/common';
import type { RolloutRecord } from '@/lib/api/record';
import type { Masked } from '@/lib/masked';
import { beginningOf, type Mask } from '@/server/shared/mask';
import type { NotifiedEvent } from '@/server/notifications/event';

type MaskedActor = Answer<typeof actorSchema>;

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
  workload: {
    cluster: string;
    /** Null where Shiplog reads one cluster only. */
    clusterName: string | null;
    resource: string;
    kind: string;
    namespace: string;
    name: string;
    uid: string;
  };
  rollout: {
    recordId: string;
    from: number | null;
    to: number | null;
    startedAt: string | null;
    endedAt: string | null;
    outcome: RolloutRecord['outcome'];
    summary: Masked<string>;
    cause: Masked<string> | null;
    images: readonly Answer<typeof imageSchema>[];
    actor: MaskedActor | null;
  };
  /** Why it is stalled. */
  reason: Masked<string> | null;
  revertedBy: { recordId: string; url: string | null; actor: Masked<string> | null } | null;
  verdict: { by: Masked<string>; at: string; version: number } | null;
}

export interface MessageContext {
  mask: Mask;
  publicUrl: string | undefined;
  sandbox: boolean;
  /** Of several clusters, by its id; null where there is one only. */
  clusterName: (id: string) => string | null;
}

const TEXT_CHARS_MAX = 2_000;
const IMAGES_MAX = 20;

export function messageOf(event: NotifiedEvent, context: MessageContext): Message {
  const { id, kind, at, record, revertedBy, review } = event;
  const { cluster, resource, namespace, name, uid } = record.workload;
  const texts = textsOf(event, context.mask);
  const clusterName = context.clusterName(cluster);
  const { summary, cause, actor, reason, revertedByActor, reviewer } = texts;
  // prettier-ignore
  return {
    id,
    sandbox: context.sandbox,
    event: kind,
    at,
    text: beginningOf(`${context.sandbox ? 'Sandbox (simulated): ' : ''}${sentenceOf(event, texts, clusterName)}`, TEXT_CHARS_MAX),
    url: urlOf(record, context),
    workload: { cluster, clusterName, resource, kind: record.workload.kind, namespace, name, uid },
    rollout: {
      recordId: record.id,
      from: record.from?.number ?? null,
      to: record.to.number,
      startedAt: record.startedAt,
      endedAt: record.endedAt,
      outcome: record.outcome,
      summary,
      cause,
      images: context.mask.images(record.images.slice(0, IMAGES_MAX)),
      actor,
    },
    reason,
    revertedBy: revertedBy === null ? null : { recordId: revertedBy.id, url: urlOf(revertedBy, context), actor: revertedByActor?.name ?? null },
    verdict: review === null || reviewer === null ? null : { by: reviewer, at: review.at, version: review.version },
  };
}

interface Texts {
  summary: Masked<string>;
  cause: Masked<string> | null;
  actor: MaskedActor | null;
  reason: Masked<string> | null;
  revertedByActor: MaskedActor | null;
  reviewer: Masked<string> | null;
}

/** All text that people and programs wrote, masked and shortened. */
function textsOf({ record, reason, revertedBy, review }: NotifiedEvent, mask: Mask): Texts {
  const shown = (text: string) => beginningOf(mask.text(text), TEXT_CHARS_MAX);
  const shownOrNull = (text: string | null) => (text === null ? null : shown(text));
  const shownActor = (actor: Actor | null) =>
    actor && {
      name: shown(actor.name),
      source: actor.source,
      manager: shownOrNull(actor.manager),
    };
  return {
    summary: shown(record.summary),
    cause: shownOrNull(record.cause),
    actor: shownActor(record.actor),
    reason: shownOrNull(reason),
    revertedByActor: shownActor(revertedBy?.actor ?? null),
    reviewer: shownOrNull(review?.by ?? null),
  };
}

function sentenceOf(
  { kind, record: { workload, to, undoneBy } }: Pick<NotifiedEvent, 'kind'> & { record: Named },
  { summary, actor, reason, revertedByActor, reviewer }: Texts,
  clusterName: string | null,
): string {
  const where = clusterName === null ? '' : ` (${clusterName})`;
  const subject = `${workload.name} in ${workload.namespace}${where}`;
  const target = to.number === null ? 'a new template' : `revision ${to.number}`;
  const by = actorText(actor);
  switch (kind) {
    case 'started':
      return `${subject}: rollout of ${target}${by} started: ${summary}`;
    case 'stuck':
      return `${subject}: rollout of ${target}${by} stalled: ${reason ?? summary}`;
    case 'failed':
      return `${subject}: rollout of ${target}${by} failed: ${summary}`;
    case 'rolledBack':
      return undoneBy === undefined
        ? `${subject}: ${target} was rolled back${actorText(revertedByActor)}: ${summary}`
        : `${subject}: ${target} was reverted by ${undoneBy}: ${summary}`;
    case 'badVerdict':
      return `${subject}: rollout of ${target}${by} was marked bad${reviewer === null ? '' : ` by ${reviewer}`}: ${summary}`;
    default:
      return kind satisfies never;
  }
}

/** Members of a record that identify the rollout, without any text. */
type Named = Pick<RolloutRecord, 'workload' | 'to' | 'undoneBy'>;

/** The field manager of a tool is not a person. */
function actorText(actor: MaskedActor | null): string {
  if (actor === null) return '';
  return actor.name === actor.manager ? ` via ${actor.name}` : ` by ${actor.name}`;
}

function urlOf({ id }: RolloutRecord, { publicUrl }: MessageContext): string | null {
  return publicUrl === undefined ? null : `${publicUrl}/records/${encodeURIComponent(id)}`;
}

/**
 * The format of Slack's incoming webhooks, and of what imitates them.
 * https://docs.slack.dev/messaging/formatting-message-text#escaping
 */
export function slackBody({ text, url }: Pick<Message, 'text' | 'url'>): string {
  const link = url === null ? '' : `\n<${escaped(url)}|Open record>`;
  return JSON.stringify({ text: `${escaped(text)}${link}` });
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
