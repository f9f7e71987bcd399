import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { type Archive } from '@/server/archive/archive';
import { type OnProgress } from '@/server/archive/open';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { deriveView } from '@/server/reads/workload-view';
import { ChangeSummaries } from '@/server/reads/change-summaries';
import { RecordKeeper } from '@/server/recorder/record-keeper';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';

const keys = new Keys(Buffer.alloc(32, 7));

function ledgerThatOpens(open: (now: number, onProgress: OnProgress) => Promise<Archive>) {
  const clock = new VirtualClock();
  const cluster = new FakeCluster();
  const opened: Archive[] = [];
  const ledger = new RecordKeeper({
    cluster,
    keys,
    summaries: new ChangeSummaries(keys.mask),
    view: (workload) => deriveView(cluster, workload, clock.now()),
    actionsOf: () => [],
    configChangesOf: () => [],
    retention: { days: 0, perWorkload: 0 },
    log: silentLogger,
    clock,
    open: (onProgress) => open(clock.now(), onProgress),
    onArchive: (archive) => opened.push(archive),
  });
  const tried = ledger.start();
  return { ledger, clock, opened, tried };
}

const unavailable = (retry: boolean) => new AppError('archive_unavailable', 'Not there yet.', { retry });

test('waits for an archive that comes late, and reports it', async () => {
  const archive = Object.assign(new MemoryArchive(), { close: () => Promise.resolve() });
  let attempts = 0;
  const { ledger, clock, opened } = ledgerThatOpens(() => {
    attempts += 1;
    return attempts < 3 ? Promise.reject(unavailable(true)) : Promise.resolve(archive as unknown as Archive);
  });
  await clock.settle();
  expect(ledger.state).toMatchObject({ state: 'interrupted', reason: 'Not there yet.' });
  await clock.advance(11_000);
  expect(ledger.state.state).toBe('recording');
  expect(opened).toEqual([archive]);
  await ledger.stop();
});

test('one that fails for a moment opens at once, one that stays away is tried every five seconds', async () => {
  const asked: number[] = [];
  const { ledger, clock } = ledgerThatOpens((now) => {
    asked.push(now);
    return Promise.reject(unavailable(true));
  });
  await clock.settle();
  await clock.advance(20_000);
  const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  await ledger.stop();
});

test('the start waits for the first attempt, not for a second one', async () => {
  const { promise, reject } = Promise.withResolvers<Archive>();
  const { ledger, clock, tried } = ledgerThatOpens(() => promise);
  let isTried = false;
  void tried.then(() => (isTried = true));
  await clock.settle();
  expect(isTried).toBe(false);
  reject(unavailable(true));
  await tried;
  await ledger.stop();
});

test.each([
  [5_000, false],
  [500_000, true],
])(
  'the start waits for the backfill of %i records of an earlier version: not so = %s',
  async (total, isLong) => {
    const archive = Object.assign(new MemoryArchive(), { close: () => Promise.resolve() });
    const completed = Promise.withResolvers<Archive>();
    const { ledger, clock, opened, tried } = ledgerThatOpens((_, onProgress) => {
      onProgress(100, total);
      return completed.promise;
    });
    let isTried = false;
    void tried.then(() => (isTried = true));
    await clock.settle();
    expect(isTried).toBe(isLong);
    expect(ledger.state.state).toBe('starting');
    if (isLong) expect(ledger.state.reason).toContain('100 of 500,000');
    else expect(ledger.state.reason).toBeNull();
    expect(opened).toEqual([]);
    completed.resolve(archive as unknown as Archive);
    await clock.settle();
    expect(ledger.state).toMatchObject({ state: 'recording', reason: null });
    expect(opened).toEqual([archive]);
    await ledger.stop();
  },
);

test('a stop ends the backfill of records of an earlier version', async () => {
  const { ledger, clock } = ledgerThatOpens(async (_, onProgress) => {
    for (let told = 1; ; told += 1) {
      await setImmediate();
      onProgress(told, 500_000);
    }
  });
  await clock.settle();
  await ledger.stop();
  expect(ledger.state.state).toBe('starting');
});

test('does not retry an archive that will never open', async () => {
  let attempts = 0;
  const { ledger, clock } = ledgerThatOpens(() => {
    attempts += 1;
    return Promise.reject(unavailable(false));
  });
  await clock.advance(60_000);
  expect([attempts, ledger.state.state]).toEqual([1, 'interrupted']);
  await ledger.stop();
});
