import 'server-only';
import {
  type CommentItem,
  type ReviewItem,
  type ReviewComment,
  type Review,
  type Verdict,
} from '@/lib/api/review';
import { type RecordAnswer, type RecordItem } from '@/lib/api/records';
import { type RecordedProgressiveRollout, type RolloutRecord } from '@/lib/api/record';
import { type RevisionRef } from '@/lib/api/incarnation';
import { kindTitle } from '@/lib/workloads/kinds/table';
import { type ListedRecord } from '@/server/archive/records';
import { type Keys } from '@/server/shared/keys';
import { type Mask } from '@/server/shared/mask';
import { maskTraffic } from '@/server/reads/mask-traffic';
import { maskedActor } from '@/server/shared/masked-actor';

/** A record as lists return it, masked. */
export function recordItem(
  listed: ListedRecord,
  comments: readonly ReviewComment[],
  keys: Keys,
  takesBack: RecordItem['takesBack'] = null,
): RecordItem {
  const { record, review, revertedBy } = listed;
  const { cluster, resource, namespace, name, uid } = record.workload;
  const kind = kindTitle(record.workload);
  return {
    id: record.id,
    workload: { cluster, resource, kind, namespace, name, uid },
    from: record.from === null ? null : refAnswer(record.from, keys),
    to: refAnswer(record.to, keys),
    startedAt: record.startedAt,
    startedNotAfter: record.startedNotAfter,
    endedAt: record.endedAt,
    outcome: record.outcome,
    actor: maskedActor(record.actor, keys.mask),
    cause: keys.mask.text(record.cause),
    summary: keys.mask.text(record.summary),
    restart: record.restart,
    images: keys.mask.images(record.images),
    desiredPods: record.desiredPods,
    steps: record.steps.map(({ unlisted: _, ...step }) => ({
      ...step,
      pods: step.pods.map((pod) => ({ ...pod })),
      removed: step.removed.map((pod) => ({
        ...pod,
        hash: pod.hash === null ? null : keys.template(pod.hash),
      })),
    })),
    release: record.release === null ? null : releaseAnswer(record.release, keys.mask),
    spans: record.spans.map((span) => ({ ...span, reason: keys.mask.text(span.reason) })),
    revertedBy,
    takesBack,
    pinned: record.pinned,
    review: reviewItem(review, comments, keys.mask),
  };
}

/** What the page of one record shows besides that, its diff aside. */
export function recordDetails(
  record: RolloutRecord,
  keys: Keys,
): Omit<RecordAnswer, keyof RecordItem | 'diff' | 'diffNote' | 'neighbours' | 'rolloutHistories'> {
  return {
    activation: record.activation,
    labels: keys.mask.annotations(record.workload.labels),
    strategy: record.strategy,
    actionId: record.actionId,
    others: record.others.map((ref) => refAnswer(ref, keys)),
    unwatched: record.unwatched.map((part) => ({ ...part })),
    samples: record.samples.map(({ at, byRevision }) => ({
      at,
      byRevision: byRevision.map(([hash, pods, ready]) => [keys.template(hash), pods, ready]),
    })),
    events: record.events.map((event) => ({ ...event, message: keys.mask.text(event.message) })),
  };
}

/** The current verdict with the discussion; version 0 where there is none. */
export function reviewItem(
  review: Review | null,
  comments: readonly ReviewComment[],
  mask: Mask,
): ReviewItem {
  const discussion = comments.map((comment) => commentItem(comment, mask));
  if (review === null) {
    return {
      version: 0,
      verdict: null,
      by: null,
      at: null,
      followUp: null,
      history: [],
      comments: discussion,
    };
  }
  const { version, verdict, by, at, followUp, history } = review;
  return {
    version,
    verdict,
    by,
    at,
    followUp: followUpItem(followUp, mask),
    history: history.map(({ byId: _, ...before }) => ({
      ...before,
      followUp: followUpItem(before.followUp, mask),
    })),
    comments: discussion,
  };
}

/** Who follows up, by when. */
export function followUpItem(followUp: Verdict['followUp'], mask: Mask): Verdict['followUp'] {
  return followUp === null ? null : { ...followUp, person: mask.text(followUp.person) };
}

/** A comment; credentials in its text are masked. */
export function commentItem(comment: ReviewComment, mask: Mask): CommentItem {
  return {
    ...comment,
    body: mask.text(comment.body),
    edits: comment.edits.map(({ byId: _, ...edit }) => ({ ...edit, body: mask.text(edit.body) })),
  };
}

function releaseAnswer(
  { unlistedUnassigned: _, ...release }: RecordedProgressiveRollout,
  mask: Mask,
): RecordItem['release'] {
  return {
    ...release,
    routes: [...release.routes],
    plan: release.plan.map((step) => ({ ...step, traffic: maskTraffic(step.traffic, mask) })),
    jumps: [...release.jumps],
    unassigned: [...release.unassigned],
  };
}

function refAnswer({ number, id, hash }: RevisionRef, keys: Keys): RecordItem['to'] {
  return { number, id, hash: keys.template(hash) };
}
