import { beforeEach, describe, expect, test } from 'vitest';
import type { RecordSummary } from '@/lib/api/record-summary';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import type { RolloutRecord } from '@/lib/api/record';
import { hour, sampleIncarnation, sampleRecord } from '@/server/archive/testing/samples';
import { silentLogger } from '@/server/shared/log';
import { LatestRecordSummaries, RecordSummaryUpdater } from '@/server/views/latest-record-summaries';

const incarnation = sampleIncarnation('cart');
const record = (activation: number, change: Partial<RolloutRecord> = {}) =>
  sampleRecord(incarnation, activation, change);
const open = { endedAt: null, outcome: null };

let summaries: LatestRecordSummaries;
let latest: RecordSummary[];
let changed: RecordSummary[];
let asked: string[];

const rollouts = {
  latestSummaries: (_cluster: string, after: string, limit: number) => {
    asked.push('latest');
    return Promise.resolve(latest.filter(({ uid }) => uid > after).slice(0, limit));
  },
  changedSummaries: (_cluster: string, sinceMs: number, ids: readonly string[]) => {
    asked.push(`changed since ${new Date(sinceMs).toISOString()} and ${ids.join()}`);
    return Promise.resolve(changed);
  },
};

beforeEach(() => {
  summaries = new LatestRecordSummaries();
  latest = [];
  changed = [];
  asked = [];
});

describe('the last records of all workloads', () => {
  test('are read once, in pages, and then updated by the recorder alone', async () => {
    latest = Array.from({ length: 250 }, (_, index) => {
      const name = `cart-${String(index).padStart(3, '0')}`;
      return summarizeRecord(sampleRecord(sampleIncarnation(name), 2));
    });
    expect(await summaries.refresh(rollouts, 'prod', false)).toHaveLength(250);
    expect(await summaries.refresh(rollouts, 'prod', false)).toEqual([]);
    expect(asked).toEqual(['latest', 'latest', 'latest']);
    expect(summaries.of('uid-cart-249')).toMatchObject({ activation: 2, outcome: 'completed' });
    expect(summaries.update([sampleRecord(sampleIncarnation('cart-249'), 3, open)])).toBe(true);
    expect(summaries.of('uid-cart-249')).toMatchObject({ activation: 3, outcome: null });
  });

  test('stay the same object until something changes', () => {
    expect(summaries.update([record(2)])).toBe(true);
    const known = summaries.of(incarnation.uid);
    expect(summaries.update([record(2, { samples: [] }), record(1)])).toBe(false);
    expect(summaries.of(incarnation.uid)).toBe(known);
  });

  test('are not replaced by a page that was read before they were recorded', async () => {
    latest = [summarizeRecord(record(2, open))];
    const slow = { ...rollouts, latestSummaries: async () => Promise.resolve().then(() => latest) };
    const reading = summaries.refresh(slow, 'prod', false);
    summaries.update([record(2)]);
    await reading;
    expect(summaries.of(incarnation.uid)?.outcome).toBe('completed');
  });

  test('are followed where another process records: what began lately, and what was open', async () => {
    latest = [summarizeRecord(record(5, open))];
    await summaries.refresh(rollouts, 'prod', true);
    changed = [summarizeRecord(record(6)), summarizeRecord(record(5))];
    expect(await summaries.refresh(rollouts, 'prod', true)).toEqual([incarnation.uid]);
    expect(asked).toEqual(['latest', `changed since ${hour(4)} and uid-cart.5`]);
    expect(summaries.of(incarnation.uid)).toMatchObject({ activation: 6 });
  });
});

describe('pages', () => {
  test('are notified of what was recorded, but not of samples alone', () => {
    const published: string[] = [];
    const keeper = new RecordSummaryUpdater({
      summaries,
      cluster: { ready: true } as never,
      archive: () => null,
      isRecording: () => true,
      publish: (keys) => published.push(...keys.map(({ name }) => name)),
      log: silentLogger,
    });
    const recorded = (records: RolloutRecord[]) =>
      keeper.onRecorded([{ incarnation, revisions: [], activations: [], records }]);
    recorded([record(1, open)]);
    recorded([record(1, { ...open, samples: [] })]);
    expect(published).toEqual(['cart']);
    recorded([record(1)]);
    expect(published).toEqual(['cart', 'cart']);
  });
});
