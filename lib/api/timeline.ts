import { z } from 'zod';
import { instant, partialSchema } from '@/lib/api/common';
import { recordItemSchema, recordListQuerySchema, recordSchema } from '@/lib/api/records';
import { outcomes } from '@/lib/api/record-values';
import type { Immutable } from '@/lib/immutable';

/** One rollout as the timeline of all workloads draws it. */
export const timelineItemSchema = recordItemSchema
  .pick({
    id: true,
    workload: true,
    from: true,
    to: true,
    startedAt: true,
    startedNotAfter: true,
    endedAt: true,
    outcome: true,
    undoneBy: true,
    actor: true,
    cause: true,
    summary: true,
    restart: true,
    spans: true,
    revertedBy: true,
  })
  .extend({
    /** Only while no revision records the target, which its image then names. */
    images: recordItemSchema.shape.images.optional(),
    /** Gaps: intervals in which Shiplog was not watching. */
    unwatched: recordSchema.shape.unwatched,
    /** When a planned step began: canary steps, batches, moves of a partition. */
    steps: z.array(z.object({ name: z.string(), at: instant })),
  });
export type TimelineItem = Immutable<z.infer<typeof timelineItemSchema>>;

const countsSchema = z.partialRecord(z.enum([...outcomes, 'open']), z.number());
export type TimelineCounts = z.infer<typeof countsSchema>;

/** `GET /api/timeline`: the rollouts between two times. */
export const timelineSchema = z.object({
  from: instant,
  to: instant,
  /** When the first of all recorded rollouts began; null where nothing is recorded. */
  oldestAt: instant.nullable(),
  /** In progress at any time between the two, latest start first. */
  items: z.array(timelineItemSchema),
  /** How many more there are. */
  more: z.number(),
  /**
   * How many were in progress between the two, by outcome or state; those omitted from `items` included.
   * Where only `density` is requested, those that began between the two.
   */
  counts: countsSchema,
  /** How many began in each interval; intervals without any are omitted. Null unless requested. */
  density: z
    .object({
      /** Length of an interval in milliseconds. */
      partMs: z.number(),
      parts: z.array(z.object({ at: instant, counts: countsSchema })),
    })
    .nullable(),
  /** Namespaces with recorded workloads that the viewer may see. */
  places: z.array(z.object({ resource: z.string(), namespace: z.string() })),
  partial: z.array(partialSchema),
});
export type Timeline = Immutable<z.infer<typeof timelineSchema>>;

const TIMELINE_ITEMS_MAX = 500;
const TIMELINE_PARTS_MAX = 500;

const countSchema = (max: number, otherwise: number) =>
  z.coerce.number().int().min(0).max(max).default(otherwise);

export const timelineQuerySchema = recordListQuerySchema
  .pick({
    cluster: true,
    stage: true,
    q: true,
    namespace: true,
    resource: true,
    name: true,
    outcome: true,
    actor: true,
    image: true,
  })
  .extend({
    /** RFC 3339 time, or a duration back from now; default: the first recorded rollout. */
    from: z.string().max(40).optional(),
    /** Default: now. */
    to: z.string().max(40).optional(),
    labelSelector: z.string().max(1_000).optional(),
    limit: countSchema(TIMELINE_ITEMS_MAX, TIMELINE_ITEMS_MAX),
    /** The maximum number of intervals for `density`; 0 omits it. */
    parts: countSchema(TIMELINE_PARTS_MAX, 0),
  });
export type TimelineQuery = z.output<typeof timelineQuerySchema>;
