import type { RevisionRef } from '@/lib/api/incarnation';
import type { RecordedProgressiveRollout, RecordedStep, RolloutRecord } from '@/lib/api/record';
import { type Facts, factsFrom, flags, secondsAt, shortHash } from '@/test/replay/facts/facts';

/** Everything that a record says, but for its samples and events. */
export function readRecordFacts(record: RolloutRecord, startMs: number): Facts {
  const { from, to, outcome, steps, spans, progressiveRollout, actor, cause, restart, others, unwatched } =
    record;
  const at = (time: string | null | undefined) => secondsAt(time, startMs);
  return factsFrom({
    outcome,
    change: `${describeRevision(from)} → ${describeRevision(to)}${restart ? ' restart' : ''}`,
    began: record.startedAt === null ? `before ${at(record.startedNotAfter)}` : at(record.startedAt),
    ended: at(record.endedAt),
    by: actor?.name ?? null,
    cause: cause === null ? null : shortHash(cause),
    pods: String(record.desiredPods),
    others: others.map(describeRevision).join(' '),
    unwatched: unwatched.map((gap) => `${at(gap.from)}-${at(gap.to)}`).join(' '),
    steps: steps.map((step) => describeStep(step, startMs)).join(', '),
    spans: spans
      .map(({ kind, waitsFor, hasFailed, from: begin, to: end }) =>
        [kind, waitsFor, flags({ failed: hasFailed === true }), `${at(begin)}-${at(end)}`]
          .filter(Boolean)
          .join(' '),
      )
      .join(', '),
    progressive: progressiveRollout && describeProgressive(progressiveRollout, at),
  });
}

function describeProgressive(
  { system, name, style, result, plan, planEditedAt, jumps, unassigned }: RecordedProgressiveRollout,
  at: (time: string) => string,
): string {
  return [
    `${system} ${name} ${style} ${result}`,
    `plan ${plan.map(({ replicas, pause }) => `${replicas} ${pause?.kind}`).join(', ')}`,
    planEditedAt !== null && `edited ${at(planEditedAt)}`,
    ...jumps.map(({ from, to }) => `jump ${from} ${to}`),
    `besides ${unassigned.length}`,
  ]
    .filter(Boolean)
    .join('; ');
}

function describeRevision(revision: RevisionRef | null): string {
  return revision === null ? '–' : `${revision.number ?? '-'}${revision.id === null ? ' pending' : ''}`;
}

function describeStep(step: RecordedStep, startMs: number): string {
  const { index, kind, state, pods, more = 0, removed, startedAt, endedAt, planned } = step;
  const wanted = planned?.match(/\d+%?/g)?.join(' of ') ?? '-';
  const times = `${secondsAt(startedAt, startMs)}-${secondsAt(endedAt, startMs)}`;
  return `${kind} ${index} ${state} ${wanted} got ${pods.length + more} for ${removed.length} ${times}`;
}
