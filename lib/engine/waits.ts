import type { Wait } from '@/lib/api/rollouts';
import { formatDuration } from '@/lib/format/duration';
import { formatCount, formatUtc } from '@/lib/format/text';

/** Something that a running controller does, or that time alone changes, within a limit after a moment. */
export interface Deadline {
  /** RFC 3339 time, or milliseconds since the epoch. One that is unknown, null or NaN, never passes. */
  since: string | number | null;
  limitMs: number;
  /** Why the controller appears to be missing once it has passed. Absent: only a sentence reads differently then. */
  text?: string;
}

/** Longer than any running controller leaves a change unread, or a completed wait. */
const SILENCE_MS = 60_000;

/** What shows that no controller works on the rollout: the first deadline that has passed. Null: none has. */
export function findOverdue(deadlines: readonly Deadline[], nowMs: number): string | null {
  return deadlines.find((each) => each.text !== undefined && nowMs > endOf(each))?.text ?? null;
}

/**
 * Milliseconds since the epoch at which time alone next changes the answer; Infinity where it changes
 * nothing.
 */
export function findNextChange<Context extends { nowMs: number }>(
  context: Context,
  findDeadlines: (context: Context) => readonly Deadline[],
): number {
  const { nowMs } = context;
  const ends = findDeadlines(context)
    .map(endOf)
    .filter((endMs) => endMs >= nowMs);
  return Math.min(Infinity, ...ends.map((endMs) => endMs + 1));
}

function endOf({ since, limitMs }: Deadline): number {
  return (typeof since === 'number' ? since : Date.parse(since ?? '')) + limitMs;
}

/** A controller reacts within seconds. */
export function expectReaction(since: Deadline['since'], text: string): Deadline {
  return { since, limitMs: SILENCE_MS, text };
}

/** A controller that runs reads a Rollout as soon as it is created. */
export function expectFirstReading(createdAt: string): Deadline {
  return expectReaction(createdAt, 'No controller has processed this Rollout since it was created.');
}

/** A controller that runs reads a change of a Rollout as soon as it is written. */
export function expectReadingOfChange(specWrittenAt: string | null): Deadline {
  const time = formatUtc(specWrittenAt ?? '');
  return expectReaction(
    specWrittenAt,
    `The Rollout changed at ${time}, and no controller has processed the change.`,
  );
}

/** The end of a pause, which its sentence tells, and what the controller then does. */
export function expectEndOfPause(step: number, endMs: number): [Deadline, Deadline] {
  return [
    { since: endMs, limitMs: 0 },
    expectReaction(endMs, `The pause of step ${step} is over, but the controller has not reacted.`),
  ];
}

/** In milliseconds since the epoch; NaN where its start is unknown, and beyond the times that can be written. */
export function findPauseEndMs(since: string | null, seconds: number): number {
  const endMs = Date.parse(since ?? '') + seconds * 1_000;
  return Math.abs(endMs) > 8e15 ? NaN : endMs;
}

export function describeTimedWait(seconds: number, endMs: number, nowMs: number): Wait {
  const duration = formatDuration(seconds * 1_000);
  if (Number.isNaN(endMs))
    return { kind: 'time', text: `Continues automatically after ${duration}.`, seconds, until: null };
  const until = new Date(endMs).toISOString();
  const text =
    endMs <= nowMs
      ? `The pause of ${duration} ended at ${formatUtc(until)}.`
      : `Continues automatically at ${formatUtc(until)}.`;
  return { kind: 'time', text, seconds, until };
}

/** "2 of 3 pods of the new revision are ready."; null where none is missing. */
export function describeMissingPods(
  count: number,
  planned: number,
  revision: 'the new revision' | 'the target',
  condition: 'ready' | 'available',
): Wait | null {
  const missing = Math.max(0, planned - count);
  const text = `${count} of ${formatCount(planned, 'pod')} of ${revision} ${planned === 1 ? 'is' : 'are'} ${condition}.`;
  return missing === 0 ? null : { kind: 'pods', text, missing };
}

export const TRAFFIC_WAIT: Wait = { kind: 'traffic', text: 'Setting the traffic of this step.' };
export const RESUME_WAIT: Wait = { kind: 'resume', text: 'Waiting to be resumed.' };
