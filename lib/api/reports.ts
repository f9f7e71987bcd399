import { z } from 'zod';
import { instant, maskedText, ofClusters, partialSchema } from '@/lib/api/common';
import { outcomes } from '@/lib/api/record-values';
import { reportGroupings, verdicts } from '@/lib/api/review-values';
import type { Immutable } from '@/lib/immutable';

function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

export const reportQuerySchema = z.object({
  ...ofClusters,
  /** RFC 3339 time, a day such as 2026-01-31, or a duration back from now; default: seven days back. */
  from: z.string().max(40).optional(),
  /** Default: now. */
  to: z.string().max(40).optional(),
  format: z.enum(['json', 'csv', 'md']).default('json'),
  by: z.enum(reportGroupings).default('namespace'),
  namespace: z.string().max(4_000).optional(),
  /** In which the days of the figures begin (IANA name); default: UTC. */
  timeZone: z
    .string()
    .max(64)
    .refine(isTimeZone, 'must be a time zone such as Europe/Berlin.')
    .default('UTC'),
  /** How soon a rollout must be reverted to count as a failed change: `24h`; default: the operator's setting. */
  revertedWithin: z.string().max(20).optional(),
  /** Each rollout as a row, too; the other formats always have them. */
  rows: z.enum(['1']).optional(),
});
export type ReportQuery = z.output<typeof reportQuerySchema>;

const figuresSchema = z.object({
  rollouts: z.number(),
  completed: z.number(),
  rolledBack: z.number(),
  /** Begun by hand and reverted by the owner of the workload: neither a change nor a failure. */
  undone: z.number(),
  superseded: z.number(),
  /** Their workload was scaled to zero: neither a change nor a failure. */
  noPods: z.number(),
  failed: z.number(),
  unknown: z.number(),
  open: z.number(),
  /** Rollouts that were stalled for a while, whatever their outcome. */
  stuck: z.number(),
  /** Of `completed`: reverted soon after. */
  reverted: z.number(),
  /** Rolled back, failed, or reverted soon after. */
  failedChanges: z.number(),
  /** Changes that ended with a known outcome: no rollbacks, and nothing that its owner reverted, that ran no pods, or that was superseded within a minute. */
  measured: z.number(),
  /** 0 to 1; null where nothing was measured. */
  changeFailureRate: z.number().nullable(),
  restored: z.number(),
  /** Failed changes after which no rollout has completed yet. */
  unrestored: z.number(),
  timeToRestoreMs: z.number().nullable(),
  durationMs: z.number().nullable(),
  reviewed: z.number(),
  withCause: z.number(),
});
export type Figures = z.infer<typeof figuresSchema>;

export const reportRowSchema = z.object({
  id: z.string(),
  /** Id of its cluster. */
  cluster: z.string(),
  namespace: z.string(),
  name: z.string(),
  kind: z.string(),
  team: maskedText.nullable(),
  from: z.number().nullable(),
  to: z.number().nullable(),
  startedAt: instant.nullable(),
  endedAt: instant.nullable(),
  outcome: z.enum(outcomes).nullable(),
  revertedBy: z.string().nullable(),
  /** As text, where it returned to an earlier template. */
  reverts: maskedText.nullable(),
  actor: maskedText.nullable(),
  cause: maskedText.nullable(),
  summary: maskedText,
  verdict: z.enum(verdicts).nullable(),
  reviewedBy: maskedText.nullable(),
  followUp: z.object({ person: maskedText, due: z.string() }).nullable(),
  comments: z.number(),
});
export type ReportRow = Immutable<z.infer<typeof reportRowSchema>>;

export const reportSchema = z.object({
  from: instant,
  to: instant,
  by: z.enum(reportGroupings),
  /** The label whose value is the team. */
  teamLabel: z.string(),
  /** What each figure means, in a sentence. */
  definitions: z.record(z.string(), z.string()),
  total: figuresSchema,
  /** The preceding period of the same length. */
  previous: figuresSchema,
  /** Most rollouts first; the name is null for workloads without a team. */
  groups: z.array(
    z.object({
      name: maskedText.nullable(),
      figures: figuresSchema,
      /** The preceding period of the same length. */
      previous: figuresSchema,
    }),
  ),
  /** This period and those of the same length before it as far as the archive reaches, oldest first. */
  trend: z.array(
    z.object({
      from: instant,
      rollouts: z.number(),
      changeFailureRate: z.number().nullable(),
      timeToRestoreMs: z.number().nullable(),
      durationMs: z.number().nullable(),
    }),
  ),
  /** The calendar days of the period, each with its rollouts by outcome. */
  days: z.array(
    z.object({
      from: instant,
      /** Whether only a part of the day lies within the period. */
      isPartial: z.boolean(),
      /** Rollouts of the day that lies one period earlier. */
      before: z.number(),
      completed: z.number(),
      rolledBack: z.number(),
      failed: z.number(),
      other: z.number(),
    }),
  ),
  /** Failed changes, the latest 500; `restoreMs` is null while no later rollout has completed. */
  failures: z.array(
    z.object({
      recordId: z.string(),
      namespace: z.string(),
      name: z.string(),
      restoreMs: z.number().nullable(),
    }),
  ),
  rows: z.array(reportRowSchema).nullable(),
  /** The period has more rollouts than were counted or returned as rows. */
  truncated: z.boolean(),
  partial: z.array(partialSchema),
});
export type RolloutReport = Immutable<z.infer<typeof reportSchema>>;
