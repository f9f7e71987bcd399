import { z } from 'zod/mini';
import { instant, maskedText } from '@/lib/api/common';
import { COMMENT_CHARS_MAX, verdicts } from '@/lib/api/review-values';
import { type Immutable } from '@/lib/immutable';

/*
 * A team's verdict on a rollout and the discussion of it: as they are stored, as answers show them, and as
 * requests give them.
 */

/** Who gave a verdict, wrote a comment or rewrote it. */
const authorSchema = z.object({
  /** The display name; two people may have the same one. */
  by: z.string(),
  /** `viewer.id` of the author, who may rewrite it. Documents of earlier versions lack it: then the name decides. */
  byId: z.optional(z.string()),
});
export type Author = Immutable<z.infer<typeof authorSchema>>;

/** Who follows up, and by which day (`2026-01-31`). */
const followUpSchema = z.object({ person: maskedText, due: z.string() });

/** A verdict as it was given at one time. */
const verdictSchema = z.object({
  verdict: z.enum(verdicts),
  ...authorSchema.shape,
  at: instant,
  /** Only with the verdict `followUp`. */
  followUp: z.nullable(followUpSchema),
});
export type Verdict = Immutable<z.infer<typeof verdictSchema>>;

/** The current verdict; a newer one replaces it, and `history` keeps the earlier ones, oldest first. */
export const reviewSchema = z.extend(verdictSchema, {
  /** Counts from 1. */
  version: z.number().check(z.int(), z.positive()),
  history: z.array(verdictSchema),
});
export type Review = Immutable<z.infer<typeof reviewSchema>>;

const earlierTextSchema = z.object({ at: instant, ...authorSchema.shape, body: maskedText });

export const commentSchema = z.object({
  id: z.string(),
  recordId: z.string(),
  ...authorSchema.shape,
  at: instant,
  /** Markdown as it was written; answers mask credentials in it, and pages sanitize it. */
  body: maskedText,
  /** Path of the change of the record's diff that it belongs to; null for the record itself. */
  path: z.nullable(z.string()),
  /** Id of the comment that it answers. */
  answers: z.nullable(z.string()),
  /** Earlier texts, oldest first, each with who replaced it and when. */
  edits: z.array(earlierTextSchema),
});
export type ReviewComment = Immutable<z.infer<typeof commentSchema>>;

const verdictItemSchema = z.pick(verdictSchema, { verdict: true, by: true, at: true, followUp: true });
export type VerdictItem = Immutable<z.infer<typeof verdictItemSchema>>;

export const commentItemSchema = z.extend(
  z.pick(commentSchema, {
    id: true,
    recordId: true,
    by: true,
    byId: true,
    at: true,
    body: true,
    path: true,
    answers: true,
  }),
  { edits: z.array(z.pick(earlierTextSchema, { at: true, by: true, body: true })) },
);
export type CommentItem = Immutable<z.infer<typeof commentItemSchema>>;

/** The team's verdict. Version 0: there is none yet. */
export const reviewItemSchema = z.object({
  version: z.number(),
  verdict: z.nullable(verdictSchema.shape.verdict),
  by: z.nullable(z.string()),
  at: z.nullable(instant),
  followUp: z.nullable(followUpSchema),
  /** Earlier verdicts, oldest first. */
  history: z.array(verdictItemSchema),
  comments: z.array(commentItemSchema),
});
export type ReviewItem = Immutable<z.infer<typeof reviewItemSchema>>;

export const reviewAnswerSchema = z.object({ review: reviewItemSchema });
export type ReviewAnswer = Immutable<z.infer<typeof reviewAnswerSchema>>;

/** A calendar day: `2026-01-31`. */
const day = z.string().check(
  z.regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-01-31'),
  z.refine((text) => isDay(text), 'must be a day of the calendar'),
);

/** Text written by people: anything printable, with lines and tabs. */
const prose = z.string().check(
  z.maxLength(COMMENT_CHARS_MAX),
  z.refine((text) => !hasControls(text), 'must hold no control characters but line ends and tabs'),
);
const commentBody = prose.check(z.refine((text) => text.trim() !== '', 'must say something'));

export const reviewRequestSchema = z
  .strictObject({
    verdict: z.enum(verdicts),
    comment: z._default(prose, ''),
    followUp: z._default(
      z.nullable(
        z.strictObject({
          person: z.string().check(
            z.maxLength(200),
            z.refine((text) => text.trim() !== '', 'must name somebody'),
            z.refine((text) => !hasControls(text), 'must hold no control characters'),
          ),
          due: day,
        }),
      ),
      null,
    ),
    /** `review.version` as shown to the viewer. */
    ifVersion: z.number().check(z.int(), z.minimum(0)),
  })
  .check(
    z.refine(({ verdict, followUp }) => followUp === null || verdict === 'followUp', {
      path: ['followUp'],
      message: 'belongs to the verdict followUp only',
    }),
    z.refine(({ verdict, followUp }) => followUp !== null || verdict !== 'followUp', {
      path: ['followUp'],
      message: 'must say who follows up and by when, as {"person": "ann", "due": "2026-01-31"}',
    }),
  );
export type ReviewRequest = z.input<typeof reviewRequestSchema>;

export const commentRequestSchema = z.strictObject({
  body: commentBody,
  path: z._default(
    z.nullable(
      z.string().check(
        z.maxLength(1_000),
        z.refine((text) => !hasControls(text), 'must hold no control characters'),
      ),
    ),
    null,
  ),
  answers: z._default(z.nullable(z.string().check(z.maxLength(200))), null),
});
export type CommentRequest = z.input<typeof commentRequestSchema>;

export const commentEditSchema = z.strictObject({ body: commentBody });

function isDay(text: string): boolean {
  const time = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(time.getTime()) && time.toISOString().startsWith(text);
}

function hasControls(text: string): boolean {
  return /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/.test(
    text,
  );
}
