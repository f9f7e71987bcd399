import { z } from 'zod/mini';
import { instant, partialSchema } from '@/lib/api/common';
import { recordItemSchema, recordListQuerySchema } from '@/lib/api/records';
import { outcomes } from '@/lib/ledger/record';

/** One rollout as the timeline of all workloads draws it. */
export const timelineItemSchema = z.extend(
  z.pick(recordItemSchema, {
    id: true,
    workload: true,
    from: true,
    to: true,
    startedAt: true,
    startedNotAfter: true,
    endedAt: true,
    outcome: true,
    actor: true,
    cause: true,
    summary: true,
    restart: true,
    spans: true,
    revertedBy: true,
  }),
  {
    /** Parts of it in which Shiplog was not watching. */
    unwatched: z.array(z.object({ from: instant, to: instant })),
    /** When a step that somebody planned began: canary steps, batches, moves of a partition. */
    steps: z.array(z.object({ name: z.string(), at: instant })),
  },
);
export type TimelineItem = z.infer<typeof timelineItemSchema>;

const countsSchema = z.partialRecord(z.enum([...outcomes, 'open']), z.number());
export type TimelineCounts = z.infer<typeof countsSchema>;

/** `GET /api/timeline`: what went on between two moments. */
export const timelineSchema = z.object({
  from: instant,
  to: instant,
  /** When the first of all recorded rollouts began; null where nothing is recorded. */
  oldestAt: z.nullable(instant),
  /** Under way at any moment between the two, latest start first. */
  items: z.array(timelineItemSchema),
  /** How many more there are. */
  more: z.number(),
  /**
   * How many went on between the two, by what has become of them; those left out of `items` included. Where only
   * `density` is asked for, those that began between the two.
   */
  counts: countsSchema,
  /** How many began in each part of the time; parts in which none did are left out. Null unless asked for. */
  density: z.nullable(
    z.object({
      /** Length of a part in milliseconds. */
      partMs: z.number(),
      parts: z.array(z.object({ at: instant, counts: countsSchema })),
    }),
  ),
  /** Where there are recorded workloads that the viewer may see. */
  places: z.array(z.object({ resource: z.string(), namespace: z.string() })),
  partial: z.array(partialSchema),
});
export type Timeline = z.infer<typeof timelineSchema>;

export const TIMELINE_ITEMS_MAX = 500;
export const TIMELINE_PARTS_MAX = 500;

const count = (max: number, otherwise: number) =>
  z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(max)), otherwise);

export const timelineQuerySchema = z.extend(
  z.pick(recordListQuerySchema, {
    q: true,
    namespace: true,
    resource: true,
    name: true,
    outcome: true,
    actor: true,
    image: true,
  }),
  {
    /** RFC 3339 time, or a duration back from now; without it from the first recorded rollout on. */
    from: z.optional(z.string().check(z.maxLength(40))),
    /** Without it up to now. */
    to: z.optional(z.string().check(z.maxLength(40))),
    labelSelector: z.optional(z.string().check(z.maxLength(1_000))),
    limit: count(TIMELINE_ITEMS_MAX, TIMELINE_ITEMS_MAX),
    /** Into so many parts at most the time is divided for `density`; 0 leaves that out. */
    parts: count(TIMELINE_PARTS_MAX, 0),
  },
);
export type TimelineQuery = z.output<typeof timelineQuerySchema>;
