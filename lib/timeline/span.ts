import type { RevisionItem } from '@/lib/api/revisions';
import type { RolloutSummary } from '@/lib/api/records';

/**
 * A time range whose ends may be known only within bounds, in milliseconds since 1970. A known end has equal
 * bounds. The time between `startMax` and `endMin` is certain; the rest up to the outer bounds is not.
 */
export interface Span {
  startMin: number;
  startMax: number;
  endMin: number;
  endMax: number;
}

/** One activation with its revision and the bounds of its ends. */
export interface ActivationSpan {
  revisionId: string;
  number: number;
  /** Still the target. */
  open: boolean;
  span: Span;
  /** The rollout that it began with; null where none was recorded. */
  record: RolloutSummary | null;
}

type Activated = Pick<RevisionItem, 'id' | 'createdAt' | 'activations'>;

/**
 * Every activation in the order of their numbers, which is the order in time. An end that the cluster does
 * not prove lies where the next activation may have begun; before a missing number it may have come at any
 * earlier time.
 */
export function spansOf(revisions: readonly Activated[], nowMs: number): ActivationSpan[] {
  const ordered = revisions
    .flatMap((revision) =>
      revision.activations.map((activation) => ({
        revisionId: revision.id,
        activation,
        start: startOf(activation, revision.createdAt, nowMs),
      })),
    )
    .sort((a, b) => a.activation.number - b.activation.number || a.start.max - b.start.max);
  return ordered.map(({ revisionId, activation, start }, index) => {
    const next = ordered.slice(index + 1).find((other) => other.activation.number > activation.number);
    const follows = next?.activation.number === activation.number + 1;
    const end = endOf(activation, start, follows ? next.start : undefined, next?.start.max ?? nowMs, nowMs);
    return {
      revisionId,
      number: activation.number,
      open: activation.open,
      record: activation.record,
      span: { startMin: start.min, startMax: start.max, endMin: end.min, endMax: end.max },
    };
  });
}

/** The parts of a span that can be drawn: one certain part at most, and uncertain ones at its sides. */
export function partsOf(span: Span): { certain: boolean; fromMs: number; toMs: number }[] {
  const { startMin, startMax, endMin, endMax } = span;
  if (startMax >= endMin) return [{ certain: false, fromMs: startMin, toMs: endMax }];
  return [
    { certain: false, fromMs: startMin, toMs: startMax },
    { certain: true, fromMs: startMax, toMs: endMin },
    { certain: false, fromMs: endMin, toMs: endMax },
  ].filter((part) => part.toMs > part.fromMs);
}

interface Bounds {
  min: number;
  max: number;
}

type Activation = RevisionItem['activations'][number];

/** A revision can't have been active before its object existed. */
function startOf(activation: Activation, createdAt: string, nowMs: number): Bounds {
  if (activation.from !== null) return exactly(Date.parse(activation.from));
  const created = Date.parse(createdAt);
  const min = activation.fromNotBefore === null ? created : Date.parse(activation.fromNotBefore);
  const max = activation.fromNotAfter === null ? nowMs : Date.parse(activation.fromNotAfter);
  return { min: Math.min(min, max), max };
}

function endOf(
  activation: Activation,
  start: Bounds,
  next: Bounds | undefined,
  latest: number,
  nowMs: number,
): Bounds {
  if (activation.open) return exactly(nowMs);
  if (activation.to !== null) return exactly(Math.max(start.min, Date.parse(activation.to)));
  const min = Math.max(start.min, next?.min ?? start.min);
  return { min, max: Math.max(min, next?.max ?? latest) };
}

function exactly(ms: number): Bounds {
  return { min: ms, max: ms };
}
