import { z } from 'zod';
import { instant, maskedText } from '@/lib/api/common';
import { COMMENT_CHARS_MAX, VERDICTS_MAX, verdicts } from '@/lib/api/review-values';
import type { Immutable } from '@/lib/immutable';

/*
 * A team's verdict on a rollout and the discussion of it: as they are stored, as answers show them, and as
 * requests give them.
 */

/** Who gave a verdict, wrote a comment or rewrote it. */
const authorSchema = z.object({
  /** The display name; two people may have the same one. */
  by: maskedText,
  /** `viewer.id` of the author, who may rewrite it. Documents of earlier versions lack it: then the name decides. */
  byId: z.string().optional(),
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
  followUp: followUpSchema.nullable(),
});
export type Verdict = Immutable<z.infer<typeof verdictSchema>>;

/** The current verdict; a newer one replaces it, and `history` keeps the earlier ones, oldest first. */
export const reviewSchema = verdictSchema.extend({
  /** Counts from 1. */
  version: z.number().int().positive(),
  history: z.array(verdictSchema),
});
export type Review = Immutable<z.infer<typeof reviewSchema>>;

/** A person whom a comment mentions. */
const mentionSchema = z.object({ id: z.string(), name: maskedText });
export type Mention = Immutable<z.infer<typeof mentionSchema>>;

const earlierTextSchema = z.object({ at: instant, ...authorSchema.shape, body: maskedText });

export const commentSchema = z.object({
  id: z.string(),
  recordId: z.string(),
  ...authorSchema.shape,
  at: instant,
  /** Markdown as it was written; answers mask credentials in it, and pages sanitize it. */
  body: maskedText,
  /** Path of the change of the record's diff that it belongs to; null for the record itself. */
  path: maskedText.nullable(),
  /** Id of the comment that it answers. */
  answers: z.string().nullable(),
  /** Earlier texts, oldest first, each with who replaced it and when. */
  edits: z.array(earlierTextSchema),
  /**
   * The people whose names follow an `@` in the body, of those who were known when it was written. Documents of earlier
   * versions lack it.
   */
  mentions: z.array(mentionSchema).optional(),
});
export type ReviewComment = Immutable<z.infer<typeof commentSchema>>;

const verdictItemSchema = verdictSchema.pick({ verdict: true, by: true, at: true, followUp: true });
export type VerdictItem = Immutable<z.infer<typeof verdictItemSchema>>;

export const commentItemSchema = commentSchema
  .pick({
    id: true,
    recordId: true,
    by: true,
    byId: true,
    at: true,
    body: true,
    path: true,
    answers: true,
  })
  .extend({
    edits: z.array(earlierTextSchema.pick({ at: true, by: true, body: true })),
    /** Names that are a mention where they follow an `@` in the body, each once. */
    mentions: z.array(maskedText),
  });
export type CommentItem = Immutable<z.infer<typeof commentItemSchema>>;

/** The team's verdict. Version 0: there is none yet. */
export const reviewItemSchema = z.object({
  version: z.number(),
  verdict: verdictSchema.shape.verdict.nullable(),
  by: maskedText.nullable(),
  at: instant.nullable(),
  followUp: followUpSchema.nullable(),
  /** Earlier verdicts, oldest first. */
  history: z.array(verdictItemSchema),
  comments: z.array(commentItemSchema),
});
export type ReviewItem = Immutable<z.infer<typeof reviewItemSchema>>;

export const reviewAnswerSchema = z.object({ review: reviewItemSchema });
export type ReviewAnswer = Immutable<z.infer<typeof reviewAnswerSchema>>;

/** A calendar day: `2026-01-31`. */
const day = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a day such as 2026-01-31')
  .refine((text) => isDay(text), 'must be a valid date');

/** Text written by people: anything printable, with lines and tabs. */
const prose = z
  .string()
  .max(COMMENT_CHARS_MAX)
  .refine(
    (text) => !hasControls(text),
    'must not contain control characters other than line breaks and tabs',
  );
const commentBody = prose.refine((text) => text.trim() !== '', 'must not be empty');

/** A verdict as it is given. */
const verdictRequest = {
  verdict: z.enum(verdicts),
  comment: prose.default(''),
  followUp: z
    .strictObject({
      person: z
        .string()
        .max(200)
        .refine((text) => text.trim() !== '', 'must not be empty')
        .refine((text) => !hasControls(text), 'must not contain control characters'),
      due: day,
    })
    .nullable()
    .default(null),
};
/** `review.version` as shown to the viewer. */
const ifVersion = z.number().int().min(0);

function withFollowUp<Given extends { verdict: string; followUp: unknown }, Input>(
  schema: z.ZodType<Given, Input>,
) {
  return schema
    .refine(({ verdict, followUp }) => followUp === null || verdict === 'followUp', {
      path: ['followUp'],
      message: 'is allowed only with the verdict followUp',
    })
    .refine(({ verdict, followUp }) => followUp !== null || verdict !== 'followUp', {
      path: ['followUp'],
      message: 'must have an assignee and a due date, such as {"person": "ann", "due": "2026-01-31"}',
    });
}

export const reviewRequestSchema = withFollowUp(z.strictObject({ ...verdictRequest, ifVersion }));
export type ReviewRequest = z.input<typeof reviewRequestSchema>;

/** One verdict for several records. */
export const bulkReviewRequestSchema = withFollowUp(
  z.strictObject({
    ...verdictRequest,
    records: z
      .array(z.strictObject({ id: z.string().max(200), ifVersion }))
      .min(1)
      .max(VERDICTS_MAX),
  }),
);
export type BulkReviewRequest = z.input<typeof bulkReviewRequestSchema>;

/** Each record in the order of the request: `error` is null where the verdict was saved. */
export const bulkReviewAnswerSchema = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      error: maskedText.nullable(),
      /** As it is now; null where the viewer cannot see it. */
      review: reviewItemSchema.nullable(),
    }),
  ),
});
export type BulkReviewAnswer = Immutable<z.infer<typeof bulkReviewAnswerSchema>>;

export const commentRequestSchema = z.strictObject({
  body: commentBody,
  path: z
    .string()
    .max(1_000)
    .refine((text) => !hasControls(text), 'must not contain control characters')
    .nullable()
    .default(null),
  answers: z.string().max(200).nullable().default(null),
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
