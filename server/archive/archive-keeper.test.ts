import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import type { Archive } from '@/server/archive/archive';
import type { OnProgress } from '@/server/archive/open';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { silentLogger } from '@/server/shared/log';
import { ArchiveKeeper } from '@/server/archive/archive-keeper';

function keeperThatOpens(open: (now: number, onProgress: OnProgress) => Promise<Archive>) {
  const clock = new VirtualClock();
  const opened: Archive[] = [];
  const keeper = new ArchiveKeeper({
    log: silentLogger,
    clock,
    open: (onProgress) => open(clock.now(), onProgress),
    onArchive: (archive) => opened.push(archive),
  });
  const tried = keeper.start();
  return { keeper, clock, opened, tried };
}

const unavailable = (retry: boolean) => new AppError('archive_unavailable', 'Not there yet.', { retry });

test('waits for an archive that comes late, and reports it', async () => {
  const archive = { close: () => Promise.resolve() };
  let attempts = 0;
  const { keeper, clock, opened } = keeperThatOpens(() => {
    attempts += 1;
    return attempts < 3 ? Promise.reject(unavailable(true)) : Promise.resolve(archive as unknown as Archive);
  });
  await clock.settle();
  expect(keeper.state).toMatchObject({ state: 'interrupted', reason: 'Not there yet.' });
  await clock.advance(11_000);
  expect(opened).toEqual([archive]);
  await keeper.stop();
});

test('one that fails for a moment opens at once, one that stays away is tried every five seconds', async () => {
  const asked: number[] = [];
  const { keeper, clock } = keeperThatOpens((now) => {
    asked.push(now);
    return Promise.reject(unavailable(true));
  });
  await clock.settle();
  await clock.advance(20_000);
  const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000]);
  await keeper.stop();
});

test('the start waits for the first attempt, not for a second one', async () => {
  const { promise, reject } = Promise.withResolvers<Archive>();
  const { keeper, clock, tried } = keeperThatOpens(() => promise);
  await clock.settle();
  expect(keeper.isTried).toBe(false);
  reject(unavailable(true));
  await tried;
  expect(keeper.isTried).toBe(true);
  await keeper.stop();
});

test.each([
  [5_000, false],
  [500_000, true],
])(
  'the start waits for the backfill of %i records of an earlier version: not so = %s',
  async (total, isLong) => {
    const archive = { close: () => Promise.resolve() };
    const completed = Promise.withResolvers<Archive>();
    const { keeper, clock, opened, tried } = keeperThatOpens((_, onProgress) => {
      onProgress(100, total);
      return completed.promise;
    });
    let isTried = false;
    void tried.then(() => (isTried = true));
    await clock.settle();
    expect(isTried).toBe(isLong);
    expect(keeper.state.state).toBe('starting');
    if (isLong) expect(keeper.state.reason).toContain('100 of 500,000');
    else expect(keeper.state.reason).toBeNull();
    expect(opened).toEqual([]);
    completed.resolve(archive as unknown as Archive);
    await clock.settle();
    expect(opened).toEqual([archive]);
    await keeper.stop();
  },
);

test('a stop ends the backfill of records of an earlier version', async () => {
  const { keeper, clock } = keeperThatOpens(async (_, onProgress) => {
    for (let told = 1; ; told += 1) {
      await setImmediate();
      onProgress(told, 500_000);
    }
  });
  await clock.settle();
  await keeper.stop();
  expect(keeper.state.state).toBe('starting');
});

test('does not retry an archive that will never open', async () => {
  let attempts = 0;
  const { keeper, clock } = keeperThatOpens(() => {
    attempts += 1;
    return Promise.reject(unavailable(false));
  });
  await clock.advance(60_000);
  expect([attempts, keeper.state.state]).toEqual([1, 'interrupted']);
  await keeper.stop();
});
