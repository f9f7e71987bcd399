import { beforeEach, describe, expect, test } from 'vitest';
import { markOfRecord, type RecordMark } from '@/lib/ledger/mark';
import { type RolloutRecord } from '@/lib/ledger/record';
import { hour, sampleLife, sampleRecord } from '@/server/archive/testing/samples';
import { silentLogger } from '@/server/log';
import { LatestMarks } from '@/server/reads/latest-marks';
import { MarkKeeper } from '@/server/reads/mark-keeper';

const life = sampleLife('cart');
const record = (activation: number, change: Partial<RolloutRecord> = {}) =>
  sampleRecord(life, activation, change);
const open = { endedAt: null, outcome: null };

let marks: LatestMarks;
let latest: RecordMark[];
let changed: RecordMark[];
let asked: string[];

const archive = {
  latestMarks: (_cluster: string, after: string, limit: number) => {
    asked.push('latest');
    return Promise.resolve(latest.filter(({ uid }) => uid > after).slice(0, limit));
  },
  changedMarks: (_cluster: string, sinceMs: number, ids: readonly string[]) => {
    asked.push(`changed since ${new Date(sinceMs).toISOString()} and ${ids.join()}`);
    return Promise.resolve(changed);
  },
};

beforeEach(() => {
  marks = new LatestMarks();
  latest = [];
  changed = [];
  asked = [];
});

describe('the last records of all workloads', () => {
  test('are read once, in pages, and then told by the recorder alone', async () => {
    latest = Array.from({ length: 250 }, (_, index) => {
      const name = `cart-${String(index).padStart(3, '0')}`;
      return markOfRecord(sampleRecord(sampleLife(name), 2));
    });
    expect(await marks.refresh(archive, 'prod', false)).toHaveLength(250);
    expect(await marks.refresh(archive, 'prod', false)).toEqual([]);
    expect(asked).toEqual(['latest', 'latest', 'latest']);
    expect(marks.of('uid-cart-249')).toMatchObject({ activation: 2, outcome: 'completed' });
    expect(marks.take([sampleRecord(sampleLife('cart-249'), 3, open)])).toBe(true);
    expect(marks.of('uid-cart-249')).toMatchObject({ activation: 3, outcome: null });
  });

  test('stay the same object until something new is said', () => {
    expect(marks.take([record(2)])).toBe(true);
    const known = marks.of(life.uid);
    expect(marks.take([record(2, { samples: [] }), record(1)])).toBe(false);
    expect(marks.of(life.uid)).toBe(known);
  });

  test('are not set back by a page that was read before they were recorded', async () => {
    latest = [markOfRecord(record(2, open))];
    const slow = { ...archive, latestMarks: async () => Promise.resolve().then(() => latest) };
    const reading = marks.refresh(slow, 'prod', false);
    marks.take([record(2)]);
    await reading;
    expect(marks.of(life.uid)?.outcome).toBe('completed');
  });

  test('are followed where another process records: what began lately, and what was open', async () => {
    latest = [markOfRecord(record(5, open))];
    await marks.refresh(archive, 'prod', true);
    changed = [markOfRecord(record(6)), markOfRecord(record(5))];
    expect(await marks.refresh(archive, 'prod', true)).toEqual([life.uid]);
    expect(asked).toEqual(['latest', `changed since ${hour(4)} and uid-cart.5`]);
    expect(marks.of(life.uid)).toMatchObject({ activation: 6 });
  });
});

describe('pages', () => {
  test('hear of what was recorded, but not of samples alone', () => {
    const published: string[] = [];
    const keeper = new MarkKeeper({
      marks,
      cluster: { ready: true } as never,
      archive: () => null,
      isRecording: () => true,
      publish: (keys) => published.push(...keys.map(({ name }) => name)),
      log: silentLogger,
    });
    const recorded = (records: RolloutRecord[]) =>
      keeper.onRecorded([{ life, revisions: [], activations: [], records }]);
    recorded([record(1, open)]);
    recorded([record(1, { ...open, samples: [] })]);
    expect(published).toEqual(['cart']);
    recorded([record(1)]);
    expect(published).toEqual(['cart', 'cart']);
  });
});
