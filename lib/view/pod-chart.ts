import type { RecordAnswer } from '@/lib/api/records';
import { targetText } from '@/lib/view/record-text';

/** An interval of a lane with the same number of pods. Positions are shares of the width, 0 to 1. */
interface PodChartSegment {
  from: number;
  to: number;
  pods: number;
  ready: number;
}

export interface PodChartLane {
  /** Number of the revision as text: "5", or "?" for one without. */
  label: string;
  isTarget: boolean;
  segments: PodChartSegment[];
}

export interface PodChart {
  fromMs: number;
  toMs: number;
  /** The most pods that one revision had at a time: a full lane. */
  podsMax: number;
  /** Target first, then the revision before it, then the others. */
  lanes: PodChartLane[];
  spans: { from: number; to: number; kind: 'stuck' | 'held'; reason: string }[];
  unwatched: { from: number; to: number }[];
}

/** Pods by revision during the rollout; null where nothing was sampled. An open one extends to `nowMs`. */
export function buildPodChart(record: RecordAnswer, nowMs: number): PodChart | null {
  const samples = record.samples.map(({ at, byRevision }) => ({ ms: Date.parse(at), byRevision }));
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const fromMs = Math.min(first.ms, msOf(record.startedAt) ?? first.ms);
  const endMs = record.outcome === null ? nowMs : (msOf(record.endedAt) ?? last.ms);
  const toMs = Math.max(last.ms, endMs);
  if (toMs <= fromMs) return null;
  const position = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));

  const refs = [record.to, ...(record.from === null ? [] : [record.from]), ...record.others];
  const labels = new Map(refs.map(({ hash, number }) => [hash, number === null ? '?' : String(number)]));
  labels.set(record.to.hash, targetText(record));
  const seen = new Set(samples.flatMap(({ byRevision }) => byRevision.map(([hash]) => hash)));
  const hashes = [...new Set([...labels.keys(), ...seen])].filter((hash) => seen.has(hash));
  const counts = samples.flatMap(({ byRevision }) => byRevision.map(([, pods]) => pods));
  const segment = ({ from, to }: { from: string; to: string | null }) => ({
    from: position(Date.parse(from)),
    to: position(msOf(to) ?? toMs),
  });
  return {
    fromMs,
    toMs,
    podsMax: Math.max(1, record.desiredPods ?? 0, ...counts),
    lanes: hashes.map((hash) => ({
      label: labels.get(hash) ?? '?',
      isTarget: hash === record.to.hash,
      segments: samples.flatMap(({ ms, byRevision }, index): PodChartSegment[] => {
        const [, pods, ready] = byRevision.find(([own]) => own === hash) ?? [hash, 0, 0];
        const until = samples[index + 1]?.ms ?? toMs;
        return pods === 0 || until <= ms ? [] : [{ from: position(ms), to: position(until), pods, ready }];
      }),
    })),
    spans: record.spans.map((span) => ({ ...segment(span), kind: span.kind, reason: span.reason })),
    unwatched: record.unwatched.map(segment),
  };
}

function msOf(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso);
}
