import 'server-only';
import type { RecorderMemory } from '@/lib/records/observation';
import type { RolloutRecord } from '@/lib/api/record';
import type { Review } from '@/lib/api/review';
import type { Notice } from '@/server/archive/outbox';
import type { NotifiedEvent } from '@/server/notifications/event';
import { type MessageContext, messageOf } from '@/server/notifications/message';
import { rolloutEvents } from '@/server/notifications/rollout-events';
import type { Webhooks } from '@/server/shared/webhooks';

/** Derives the notices of what is about to be recorded, to be stored in the same transaction. */
export class Notices {
  readonly #webhooks: Webhooks;
  readonly #context: MessageContext;

  constructor(webhooks: Webhooks, context: MessageContext) {
    this.#webhooks = webhooks;
    this.#context = context;
  }

  ofRollouts(before: RecorderMemory, records: readonly RolloutRecord[], nowMs: number): Notice[] {
    if (this.#webhooks.targets.length === 0 || records.length === 0) return [];
    return this.#toNotices(rolloutEvents(before, records, nowMs));
  }

  ofReview(record: RolloutRecord, review: Review): Notice[] {
    if (review.verdict !== 'bad') return [];
    const id = `${record.id}.badVerdict.${review.version}`;
    const event = {
      id,
      kind: 'badVerdict',
      at: review.at,
      record,
      reason: null,
      revertedBy: null,
      review,
    } as const;
    return this.#toNotices([event]);
  }

  #toNotices(events: readonly NotifiedEvent[]): Notice[] {
    const { targets, events: kinds, namespaces } = this.#webhooks;
    return events
      .filter(
        ({ kind, record: { workload } }) =>
          kinds.includes(kind) && (namespaces.length === 0 || namespaces.includes(workload.namespace)),
      )
      .map((event) => ({
        id: event.id,
        cluster: event.record.workload.cluster,
        kind: event.kind,
        atMs: Date.parse(event.at),
        payload: JSON.stringify(messageOf(event, this.#context)),
        targets: targets.map(({ id }) => id),
      }));
  }
}
