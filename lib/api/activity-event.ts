import { z } from 'zod';
import { senderSchema } from '@/lib/api/action';
import { activityEventKinds } from '@/lib/api/action-values';
import { instant, maskedText, ofClusters, partialSchema } from '@/lib/api/common';
import type { Immutable } from '@/lib/immutable';

/*
 * What people do besides actions, as lines of the audit file and as rows of the archive: reviews, sign-ins, and what
 * changes about the clusters of the configuration.
 */

const author = z.object({ id: z.string(), name: maskedText });

/**
 * What a person is about to do to a record in the archive. Texts of comments, the earlier ones too, are in the archive and
 * not here.
 */
const reviewEntrySchema = z.object({
  at: instant,
  event: z.enum(['verdict', 'comment', 'edit', 'pin', 'unpin']),
  by: author,
  record: z.string(),
  workload: z.object({
    ...{ cluster: z.string(), resource: z.string(), namespace: z.string(), name: z.string() },
    uid: z.string(),
  }),
  verdict: z.enum(['good', 'bad', 'followUp']).nullable(),
  /** The comment that is rewritten, or replied to. */
  comment: z.string().nullable(),
  /** Null: written before the attempt. Otherwise why the attempt failed. */
  code: z.string().nullable(),
  sender: senderSchema.nullable().optional(),
  /** The page's origin; null for a program. */
  origin: z.string().nullable(),
  /** Hash of the idempotency key of the request. */
  idempotencyKey: z.string().nullable(),
});
export type ReviewEntry = z.infer<typeof reviewEntrySchema>;

/** That someone signed in or out, or was refused. */
const signInEntrySchema = z.object({
  at: instant,
  event: z.enum(['signIn', 'signInRefused', 'signOut']),
  /** Null where that is not known. */
  by: author.nullable(),
  /** Why someone was refused. */
  reason: maskedText.nullable(),
  sender: senderSchema,
});
export type SignInEntry = z.infer<typeof signInEntrySchema>;

/**
 * That an entry of the configuration is about to get the id that its cluster claims, as a person has accepted; or that its
 * cluster has been found at another address, or with another certificate authority.
 */
const clusterEntrySchema = z.object({
  at: instant,
  event: z.enum(['clusterAccepted', 'clusterMoved']),
  /** Null: Shiplog itself has found it. */
  by: author.nullable(),
  /** The id. */
  cluster: z.string(),
  /** The entry that has it from then on. */
  entry: z.string(),
  /** What was before: of the address, the id, and the entry with the id; null where it is the same, or there was none. */
  before: z.object({
    address: maskedText.nullable(),
    id: z.string().nullable(),
    entry: z.string().nullable(),
  }),
  /** Of the API server. */
  address: maskedText.nullable(),
  /** Null: written before the attempt. Otherwise why the attempt failed. */
  code: z.string().nullable(),
  sender: senderSchema.nullable(),
  origin: z.string().nullable(),
  idempotencyKey: z.string().nullable(),
});
export type ClusterEntryChange = z.infer<typeof clusterEntrySchema>;

export const eventEntrySchema = z.union([reviewEntrySchema, signInEntrySchema, clusterEntrySchema]);
export type EventEntry = z.infer<typeof eventEntrySchema>;

export const activityEventsQuerySchema = z.object({
  ...ofClusters,
  kind: z.enum(activityEventKinds).optional(),
  limit: z.coerce.number().int().min(1).max(500).default(100),
  cursor: z.string().max(500).optional(),
});
export type ActivityEventsQuery = z.output<typeof activityEventsQuerySchema>;

export const activityEventSchema = z.object({
  id: z.string(),
  at: instant,
  event: z.enum([
    ...reviewEntrySchema.shape.event.options,
    ...signInEntrySchema.shape.event.options,
    ...clusterEntrySchema.shape.event.options,
  ]),
  /** Null where someone was refused, and of what Shiplog itself has found. */
  by: maskedText.nullable(),
  /** Of a review; null of a sign-in. */
  workload: reviewEntrySchema.shape.workload.nullable(),
  record: z.string().nullable(),
  verdict: reviewEntrySchema.shape.verdict,
  /** Of a review, or of a claim that was accepted: the code of the error where that failed. */
  code: z.string().nullable(),
  /** Why someone was refused; what has changed about a cluster. */
  reason: maskedText.nullable(),
  /** Of a sign-in: the other end of the connection. */
  address: z.string().nullable(),
});
export type ActivityEvent = Immutable<z.infer<typeof activityEventSchema>>;

/** Reviews, sign-ins, and changes of clusters, newest first. */
export const activityEventsSchema = z.object({
  items: z.array(activityEventSchema),
  nextCursor: z.string().nullable(),
  /** Whether sign-ins of other people are among them. */
  ofEveryone: z.boolean(),
  partial: z.array(partialSchema),
});
export type ActivityEvents = Immutable<z.infer<typeof activityEventsSchema>>;
