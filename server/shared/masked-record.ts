import 'server-only';
import type { RolloutEvent, RolloutRecord } from '@/lib/api/record';
import type { ReviewComment, Verdict } from '@/lib/api/review';
import type { Mask } from '@/server/shared/mask';
import { maskedActor, maskedName } from '@/server/shared/masked-actor';
import { maskedTraffic } from '@/server/shared/masked-traffic';

/** A record as lists show it; its labels and events, which only its own page has, are as they were. */
export function maskedRecord(record: RolloutRecord, mask: Mask) {
  const { actor, cause, summary, images, progressiveRollout, spans } = record;
  return {
    ...record,
    actor: maskedActor(actor, mask),
    cause: mask.text(cause),
    summary: mask.text(summary),
    images: mask.images(images),
    progressiveRollout: progressiveRollout && {
      ...progressiveRollout,
      plan: progressiveRollout.plan.map((step) => ({ ...step, traffic: maskedTraffic(step.traffic, mask) })),
    },
    spans: spans.map((span) => ({ ...span, reason: mask.text(span.reason) })),
  };
}

/** Labels and events of a record. */
export function maskedDetails({ workload, events }: RolloutRecord, mask: Mask) {
  return {
    labels: mask.annotations(workload.labels),
    events: events.map((event) => maskedEvent(event, mask)),
  };
}

export function maskedEvent(event: RolloutEvent, mask: Mask) {
  return { ...event, reason: mask.text(event.reason), message: mask.text(event.message) };
}

export function maskedVerdict<Given extends Pick<Verdict, 'by' | 'followUp'>>(verdict: Given, mask: Mask) {
  return { ...verdict, by: maskedName(verdict.by, mask), followUp: maskedFollowUp(verdict.followUp, mask) };
}

/** Who follows up, by when. */
export function maskedFollowUp(followUp: Verdict['followUp'], mask: Mask) {
  return followUp === null ? null : { ...followUp, person: maskedName(followUp.person, mask) };
}

export function maskedComment({ mentions, ...comment }: ReviewComment, mask: Mask) {
  return {
    ...comment,
    by: maskedName(comment.by, mask),
    body: mask.text(comment.body),
    path: mask.text(comment.path),
    ...(mentions && { mentions: mentions.map(({ id, name }) => ({ id, name: maskedName(name, mask) })) }),
    edits: comment.edits.map((edit) => ({
      ...edit,
      by: maskedName(edit.by, mask),
      body: mask.text(edit.body),
    })),
  };
}
