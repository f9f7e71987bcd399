import type { RevisionItem } from '@/lib/api/revisions';
import type { RolloutSummary } from '@/lib/api/records';
import type { PodInterval } from '@/lib/timeline/pod-profile';
import { type ActivationSpan, type Span, spansOf } from '@/lib/timeline/span';

/** A revision with the times that its pods prove. */
export interface TimelineRevision extends Pick<
  RevisionItem,
  | 'id'
  | 'number'
  | 'target'
  | 'live'
  | 'pods'
  | 'createdAt'
  | 'activations'
  | 'alsoNumbers'
  | 'restart'
  | 'retained'
> {
  /** What distinguishes the revision from its neighbors, an image tag as a rule. */
  version: string;
  /** The text at the end of the lane when no pod runs it: "pruned next". */
  note: string;
  /** Since when at least one of its current pods has existed without a break; null when that is unknown. */
  runningSinceMs: number | null;
  /** Since when its unready pods have not been ready; null when all are, or when that is unknown. */
  unreadySinceMs: number | null;
  /** Its pods over time, as far as they were sampled; oldest first. */
  profile: readonly PodInterval[];
}

type LaneRole = 'target' | 'live' | 'past';

export interface ActivationBar {
  kind: 'activation';
  number: number;
  span: Span;
  open: boolean;
  /** The rollout that it began with; null where none was recorded. */
  record: RolloutSummary | null;
}

/** What a lane draws, in time. */
export type Bar =
  | ActivationBar
  /** Pods still run a revision that is no longer the target. `certain` is false before the oldest of them. */
  | { kind: 'running'; fromMs: number; certain: boolean; toMs: number };

export interface Lane {
  id: string;
  number: number | null;
  /** Numbers that the same revision had before. */
  formerNumbers: readonly number[];
  version: string;
  note: string;
  role: LaneRole;
  /** It is pruned from the cluster. */
  archived: boolean;
  profile: readonly PodInterval[];
  pods: { total: number; ready: number };
  unreadySinceMs: number | null;
  bars: readonly Bar[];
  /** When it began first, with the known bounds; for the restart annotation. */
  restart: Span | null;
}

/** From one target to the next. `back` returns to a lane that was active before. */
export interface LaneTransition {
  fromLane: number;
  toLane: number;
  back: boolean;
  span: Pick<Span, 'startMin' | 'startMax'>;
  /** No activation in between is missing. */
  direct: boolean;
}

export interface Lanes {
  lanes: readonly Lane[];
  transitions: readonly LaneTransition[];
  /** The earliest time that is known of any revision. */
  earliestMs: number;
}

/** Lanes with the newest template on top: a rolled-back revision keeps its position. */
export function buildLanes(revisions: readonly TimelineRevision[], nowMs: number): Lanes {
  const spans = spansOf(revisions, nowMs);
  const ordered = revisions.toSorted(byTemplateAge);
  const lanes = ordered.map((revision) => laneOf(revision, spans, nowMs));
  const starts = [
    ...spans.map(({ span }) => span.startMin),
    ...revisions.map((r) => Date.parse(r.createdAt)),
  ];
  return { lanes, transitions: findTransitions(spans, lanes), earliestMs: Math.min(nowMs, ...starts) };
}

function byTemplateAge(a: TimelineRevision, b: TimelineRevision): number {
  return Date.parse(b.createdAt) - Date.parse(a.createdAt) || firstNumber(b) - firstNumber(a);
}

function firstNumber(revision: TimelineRevision): number {
  return Math.min(revision.number ?? 0, ...revision.alsoNumbers);
}

function laneOf(revision: TimelineRevision, spans: readonly ActivationSpan[], nowMs: number): Lane {
  const own = spans.filter((each) => each.revisionId === revision.id);
  const activations = own.map(({ number, span, open, record }): Bar => ({
    kind: 'activation',
    number,
    span,
    open,
    record,
  }));
  return {
    id: revision.id,
    number: revision.number,
    formerNumbers: revision.alsoNumbers.filter((number) => number !== revision.number),
    version: revision.version,
    note: revision.note,
    role: revision.target ? 'target' : revision.pods.total > 0 ? 'live' : 'past',
    archived: !revision.retained,
    profile: revision.profile,
    pods: revision.pods,
    unreadySinceMs: revision.unreadySinceMs,
    bars: [...activations, ...runningBars(revision, own.at(-1)?.span, nowMs)],
    restart: revision.restart ? (own[0]?.span ?? null) : null,
  };
}

/** Pods outlive the activation of their revision; before the oldest of those that are left, others may have run it. */
function runningBars(revision: TimelineRevision, last: Span | undefined, nowMs: number): Bar[] {
  if (revision.target || revision.pods.total === 0) return [];
  const ended = last?.endMax ?? Date.parse(revision.createdAt);
  const running = revision.runningSinceMs ?? nowMs;
  if (running <= ended) return [{ kind: 'running', certain: true, fromMs: ended, toMs: nowMs }];
  return [
    { kind: 'running', certain: false, fromMs: ended, toMs: running },
    { kind: 'running', certain: true, fromMs: running, toMs: nowMs },
  ];
}

function findTransitions(spans: readonly ActivationSpan[], lanes: readonly Lane[]): LaneTransition[] {
  const laneIndex = new Map(lanes.map((lane, index) => [lane.id, index]));
  const seen = new Set<string>();
  const transitions: LaneTransition[] = [];
  spans.forEach((current, index) => {
    const before = spans[index - 1];
    const toLane = laneIndex.get(current.revisionId);
    const fromLane = before && laneIndex.get(before.revisionId);
    if (before && fromLane !== undefined && toLane !== undefined && fromLane !== toLane) {
      const { startMin, startMax } = current.span;
      transitions.push({
        fromLane,
        toLane,
        // An older template below the one that it follows existed before, even where its number then is
        // unknown.
        back: seen.has(current.revisionId) || toLane > fromLane,
        span: { startMin, startMax },
        direct: current.number === before.number + 1 || before.span.endMin === current.span.startMax,
      });
    }
    seen.add(current.revisionId);
  });
  return transitions;
}
