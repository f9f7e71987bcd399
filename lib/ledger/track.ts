import { type RecordAnswer } from '@/lib/api/records';
import { targetWord } from '@/lib/ledger/record-words';

/** A stretch of a lane with the same number of pods. Positions are shares of the whole width, 0 to 1. */
export interface TrackPart {
  from: number;
  to: number;
  pods: number;
  ready: number;
}

export interface TrackLane {
  /** Number of the revision as it is said: "5", or "?" for one without. */
  label: string;
  isTarget: boolean;
  parts: TrackPart[];
}

export interface Track {
  fromMs: number;
  toMs: number;
  /** The most pods that one revision had at a time: a full lane. */
  podsMax: number;
  /** Target first, then where it came from, then the others. */
  lanes: TrackLane[];
  spans: { from: number; to: number; kind: 'stuck' | 'held'; reason: string }[];
  unwatched: { from: number; to: number }[];
}

/** Pods by revision while the rollout went on; null where nothing tells of it. An open one reaches to `nowMs`. */
export function trackOf(record: RecordAnswer, nowMs: number): Track | null {
  const samples = record.samples.map(({ at, byRevision }) => ({ ms: Date.parse(at), byRevision }));
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return null;
  const fromMs = Math.min(first.ms, msOf(record.startedAt) ?? first.ms);
  const endMs = record.outcome === null ? nowMs : (msOf(record.endedAt) ?? last.ms);
  const toMs = Math.max(last.ms, endMs);
  if (toMs <= fromMs) return null;
  const place = (ms: number) => Math.min(1, Math.max(0, (ms - fromMs) / (toMs - fromMs)));

  const refs = [record.to, ...(record.from === null ? [] : [record.from]), ...record.others];
  const labels = new Map(refs.map(({ hash, number }) => [hash, number === null ? '?' : String(number)]));
  labels.set(record.to.hash, targetWord(record));
  const seen = new Set(samples.flatMap(({ byRevision }) => byRevision.map(([hash]) => hash)));
  const hashes = [...new Set([...labels.keys(), ...seen])].filter((hash) => seen.has(hash));
  const counts = samples.flatMap(({ byRevision }) => byRevision.map(([, pods]) => pods));
  const part = ({ from, to }: { from: string; to: string | null }) => ({
    from: place(Date.parse(from)),
    to: place(msOf(to) ?? toMs),
  });
  return {
    fromMs,
    toMs,
    podsMax: Math.max(1, record.desiredPods ?? 0, ...counts),
    lanes: hashes.map((hash) => ({
      label: labels.get(hash) ?? '?',
      isTarget: hash === record.to.hash,
      parts: samples.flatMap(({ ms, byRevision }, index): TrackPart[] => {
        const [, pods, ready] = byRevision.find(([own]) => own === hash) ?? [hash, 0, 0];
        const until = samples[index + 1]?.ms ?? toMs;
        return pods === 0 || until <= ms ? [] : [{ from: place(ms), to: place(until), pods, ready }];
      }),
    })),
    spans: record.spans.map((span) => ({ ...part(span), kind: span.kind, reason: span.reason })),
    unwatched: record.unwatched.map(part),
  };
}

function msOf(iso: string | null): number | null {
  return iso === null ? null : Date.parse(iso);
}
