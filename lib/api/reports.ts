import { z } from 'zod/mini';
import { instant, maskedText } from '@/lib/api/common';
import { outcomes } from '@/lib/api/record-values';
import { verdicts } from '@/lib/api/review-values';
import { type Immutable } from '@/lib/immutable';

export const reportQuerySchema = z.object({
  /** RFC 3339 time, a day such as 2026-01-31, or a duration back from now; default: seven days back. */
  from: z.optional(z.string().check(z.maxLength(40))),
  /** Default: now. */
  to: z.optional(z.string().check(z.maxLength(40))),
  format: z._default(z.enum(['json', 'csv', 'md']), 'json'),
  by: z._default(z.enum(['namespace', 'team']), 'namespace'),
  namespace: z.optional(z.string().check(z.maxLength(4_000))),
  /** How soon a rollout must be reverted to count as a failed change: `24h`; default: the operator's setting. */
  revertedWithin: z.optional(z.string().check(z.maxLength(20))),
  /** Each rollout as a row, too; the other formats always have them. */
  rows: z.optional(z.enum(['1'])),
});
export type ReportQuery = z.output<typeof reportQuerySchema>;

const figuresSchema = z.object({
  rollouts: z.number(),
  completed: z.number(),
  rolledBack: z.number(),
  superseded: z.number(),
  failed: z.number(),
  unknown: z.number(),
  open: z.number(),
  /** Rollouts that were stalled for a while, whatever their outcome. */
  stuck: z.number(),
  /** Of `completed`: reverted soon after. */
  reverted: z.number(),
  /** Rolled back, failed, or reverted soon after. */
  failedChanges: z.number(),
  /** Changes that ended with a known outcome: no rollbacks, and nothing that was superseded within a minute. */
  measured: z.number(),
  /** 0 to 1; null where nothing was measured. */
  changeFailureRate: z.nullable(z.number()),
  restored: z.number(),
  /** Failed changes after which no rollout has completed yet. */
  unrestored: z.number(),
  timeToRestoreMs: z.nullable(z.number()),
  durationMs: z.nullable(z.number()),
  reviewed: z.number(),
  withCause: z.number(),
});
export type Figures = z.infer<typeof figuresSchema>;

export const reportRowSchema = z.object({
  id: z.string(),
  namespace: z.string(),
  name: z.string(),
  kind: z.string(),
  team: z.nullable(z.string()),
  from: z.nullable(z.number()),
  to: z.nullable(z.number()),
  startedAt: z.nullable(instant),
  endedAt: z.nullable(instant),
  outcome: z.nullable(z.enum(outcomes)),
  revertedBy: z.nullable(z.string()),
  /** As text, where it returned to an earlier template. */
  takesBack: z.nullable(z.string()),
  actor: z.nullable(maskedText),
  cause: z.nullable(maskedText),
  summary: maskedText,
  verdict: z.nullable(z.enum(verdicts)),
  reviewedBy: z.nullable(z.string()),
  followUp: z.nullable(z.object({ person: maskedText, due: z.string() })),
  comments: z.number(),
});
export type ReportRow = Immutable<z.infer<typeof reportRowSchema>>;

export const reportSchema = z.object({
  from: instant,
  to: instant,
  by: z.enum(['namespace', 'team']),
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
      name: z.nullable(z.string()),
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
      changeFailureRate: z.nullable(z.number()),
      timeToRestoreMs: z.nullable(z.number()),
      durationMs: z.nullable(z.number()),
    }),
  ),
  /** Intervals of a day from `from` on, each with its rollouts by outcome. */
  days: z.array(
    z.object({
      from: instant,
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
      restoreMs: z.nullable(z.number()),
    }),
  ),
  rows: z.nullable(z.array(reportRowSchema)),
  /** The period has more rollouts than were counted or returned as rows. */
  truncated: z.boolean(),
});
export type RolloutReport = Immutable<z.infer<typeof reportSchema>>;
