import { describe, expect, test } from 'vitest';
import { findProvenTarget } from '@/lib/history/proven-target';
import type { Revision } from '@/lib/history/revision';
import type { RecordSummary } from '@/lib/api/record-summary';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import type { ArchivedIncarnation } from '@/server/views/query-archive';
import { recordedRuns } from '@/server/reads/recorded-runs';
import { revisionEntries } from '@/server/reads/revision-entries';
import {
  sampleActivation,
  sampleIncarnation,
  sampleRecord,
  sampleRevision,
} from '@/server/archive/testing/samples';

const incarnation = sampleIncarnation();
const hour = (hours: number) => new Date(Date.UTC(2026, 10, 1, hours)).toISOString();
/** `one/a` and `one/b` have the same meaning, in two notations. */
const refOf = (template: string, number: number) => ({
  ...{ number, id: template, hash: template },
  ...(template.includes('/') && { meaning: `1:${template.split('/')[0]}` }),
});

/** Each template in turn is the target from its hour on, and complete at once; the last one is the target now. */
function offer(
  turns: readonly [template: string, from: number, given?: Partial<RecordSummary>][],
): string | undefined {
  const refs = turns.map(([template], index) => refOf(template, index + 1));
  const marks = turns.map(([, from, given], index): RecordSummary => {
    const to = refs[index] ?? refOf('', 0);
    const record = sampleRecord(incarnation, index + 1, {
      ...{ from: refs[index - 1] ?? null, to, outcome: 'completed' },
      ...{ startedAt: hour(from), endedAt: hour(from) },
    });
    const reverting = refs.findIndex((ref, at) => at > index && ref.hash === refs[index - 1]?.hash);
    return {
      ...summarizeRecord(record),
      revertedBy: reverting === -1 ? null : `record-${reverting + 1}`,
      ...given,
    };
  });
  const byId = marks.map((mark) => ({ ...mark, id: `record-${mark.activation}` }));
  const last = refs.at(-1);
  const archived: ArchivedIncarnation = {
    revisions: [...new Set(refs.map(({ hash }) => hash))].map((hash) =>
      sampleRevision(incarnation, 1, {
        ...{ id: hash, hash, name: hash, prunedAt: hour(0) },
        numbers: refs.filter((ref) => ref.hash === hash).map(({ number }) => number),
      }),
    ),
    activations: refs.map((revision, index) =>
      sampleActivation(incarnation, index + 1, {
        ...{ revision, from: hour(turns[index]?.[1] ?? 0) },
        to: turns[index + 1] === undefined ? null : hour(turns[index + 1]?.[1] ?? 0),
      }),
    ),
    summaries: byId,
    unmaskedHashes: new Set(refs.map(({ hash }) => hash)),
  };
  const entries = revisionEntries({ revisions: [], target: null }, archived, true);
  const runs = recordedRuns(
    { target: { id: last?.id } as Revision },
    { pods: { owner: 'source' } },
    entries,
    byId,
  );
  return findProvenTarget(runs, Date.parse(hour(500)))?.id;
}

describe('the revision offered for a rollback', () => {
  test('does not change when a rollback is undone', () => {
    const history: [string, number][] = [
      ['three', 0],
      ['four', 50],
      ['seven', 150],
    ];
    expect(offer(history)).toBe('four');
    expect(offer([...history, ['four', 151], ['seven', 151.1]])).toBe('four');
  });

  test('is not what was rolled back from, however long it had run', () => {
    expect(
      offer([
        ['one', 0],
        ['two', 10],
        ['one', 200],
        ['three', 200.1],
      ]),
    ).toBe('one');
    expect(
      offer([
        ['one', 0],
        ['two', 10],
        ['three', 200],
        ['one', 300],
        ['four', 300.5],
      ]),
    ).toBe('two');
  });

  test('is not what a rollback made the target when another rollback has left that again', () => {
    expect(
      offer([
        ['one', 0],
        ['two', 10],
        ['three', 200],
        ['two', 201],
        ['one', 210],
        ['four', 211],
      ]),
    ).toBe('one');
  });

  test('is not what had no pods, nor is that a failure of it', () => {
    const idle = { desiredPods: 0, steps: [] };
    // A former version told it as completed.
    for (const given of [{ outcome: 'noPods' as const }, idle]) {
      expect(
        offer([
          ['one', 0],
          ['two', 10, given],
          ['three', 200],
        ]),
      ).toBe('one');
      const again: Parameters<typeof offer>[0] = [
        ['one', 0],
        ['two', 10, given],
        ['one', 20],
        ['two', 30],
        ['three', 200],
      ];
      expect(offer(again)).toBe('two');
    }
    const canary = { ...idle, steps: [{ pods: true }] };
    expect(
      offer([
        ['one', 0],
        ['two', 10, canary],
        ['three', 200],
      ]),
    ).toBe('two');
  });

  test('is not what failed or has the verdict bad', () => {
    expect(
      offer([
        ['one', 0],
        ['two', 10, { verdict: 'bad' }],
        ['three', 200],
      ]),
    ).toBe('one');
    expect(
      offer([
        ['one', 0],
        ['two', 10, { outcome: 'failed' }],
        ['three', 200],
      ]),
    ).toBe('one');
  });

  test('is not what failed or is the target now, in another notation', () => {
    expect(
      offer([
        ['one', 0],
        ['two/a', 10],
        ['three', 200],
        ['two/b', 300, { outcome: 'failed' }],
        ['four', 301],
      ]),
    ).toBe('one');
    expect(
      offer([
        ['one', 0],
        ['two/a', 10],
        ['three', 200],
        ['two/b', 300],
      ]),
    ).toBe('one');
  });

  test('is not what differs from the current template by restarts alone, as their records know', () => {
    const restart = { restart: true };
    const history: [string, number, Partial<RecordSummary>?][] = [
      ['one', 0],
      ['two', 10],
      ['two, restarted', 200, restart],
    ];
    expect(offer(history)).toBe('one');
    expect(offer([...history, ['two, restarted again', 210, restart]])).toBe('one');
    expect(offer([...history, ['three', 210], ['three, restarted', 220, restart]])).toBe('two, restarted');
  });

  test('is what completed last where nothing ran for an hour', () => {
    expect(
      offer([
        ['one', 0],
        ['two', 0.2],
        ['three', 0.4],
      ]),
    ).toBe('two');
  });
});
