import { type ActivationBar } from '@/lib/timeline/lanes';

/** A phase of an activation: its rollout in progress, or settled. Times in milliseconds since 1970. */
interface Phase {
  rolling: boolean;
  fromMs: number;
  toMs: number;
}

/** A certain part of an activation, divided where its rollout was over, as far as that was recorded. */
export function phasesOf({ record }: ActivationBar, fromMs: number, toMs: number): Phase[] {
  const overMs = record === null ? fromMs : rolloutEndMs(record.outcome, record.endedAt, fromMs, toMs);
  const middle = Math.min(toMs, Math.max(fromMs, overMs));
  return [
    { rolling: true, fromMs, toMs: middle },
    { rolling: false, fromMs: middle, toMs },
  ].filter((phase) => phase.toMs > phase.fromMs);
}

function rolloutEndMs(
  outcome: NonNullable<ActivationBar['record']>['outcome'],
  endedAt: string | null,
  fromMs: number,
  toMs: number,
): number {
  switch (outcome) {
    case null:
    case 'rolledBack':
    case 'superseded':
      return toMs;
    case 'completed':
    case 'failed':
      return endedAt === null ? fromMs : Date.parse(endedAt);
    case 'unknown':
      return fromMs;
    default:
      return outcome satisfies never;
  }
}
