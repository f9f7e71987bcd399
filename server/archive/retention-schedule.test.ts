import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { silentLogger } from '@/server/shared/log';
import { RetentionSchedule, type RetentionScheduleOptions } from '@/server/archive/retention-schedule';

const lease = { cluster: '', holder: 'one', epoch: 1 };
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

function setUp(options: Partial<RetentionScheduleOptions> = {}) {
  const clock = new VirtualClock();
  const start = clock.now();
  const passes: number[] = [];
  const leased = { isHeldElsewhere: false, renewals: 0, releases: 0 };
  let answer: () => Promise<{ bodies: number; series: number }> = () =>
    Promise.resolve({ bodies: 0, series: 0 });
  const retention = new RetentionSchedule({
    archive: () => ({
      leases: {
        acquire: () => {
          leased.renewals += 1;
          return Promise.resolve(leased.isHeldElsewhere ? null : lease);
        },
        release: () => Promise.resolve(void (leased.releases += 1)),
      },
      retention: {
        expire: (_lease, _policy, nowMs) => {
          passes.push(nowMs - start);
          return answer();
        },
      },
    }),
    retention: { days: 730, perWorkload: 1_000 },
    log: silentLogger,
    clock,
    ...options,
  });
  retention.start();
  return {
    clock,
    leased,
    passes,
    retention,
    answers: (next: typeof answer) => (answer = next),
    pass: async (ms: number) => {
      await clock.advance(ms);
    },
  };
}

test('the archive expires ten minutes after the start, and then once a day', async () => {
  const { pass, passes } = setUp();
  for (const ms of [9 * MINUTE, MINUTE, MINUTE, DAY, MINUTE]) await pass(ms);
  expect(passes).toStrictEqual([10 * MINUTE, DAY + 10 * MINUTE]);
});

test('a failure is retried after ten minutes, not after a day', async () => {
  const { pass, passes, answers } = setUp();
  answers(() => Promise.reject(new AppError('archive_unavailable', 'The disk is full.')));
  for (const ms of [10 * MINUTE, 9 * MINUTE, MINUTE]) await pass(ms);
  expect(passes).toStrictEqual([10 * MINUTE, 20 * MINUTE]);
});

test('nothing begins a second time while it runs, and a stop waits for its end', async () => {
  const { pass, passes, answers, retention } = setUp();
  const { promise, resolve } = Promise.withResolvers<{ bodies: number; series: number }>();
  answers(() => promise);
  for (const ms of [10 * MINUTE, 11 * MINUTE, 11 * MINUTE]) await pass(ms);
  expect(passes).toHaveLength(1);
  let isStopped = false;
  const stopped = retention.stop().then(() => (isStopped = true));
  await pass(0);
  expect(isStopped).toBe(false);
  resolve({ bodies: 0, series: 0 });
  await stopped;
});

test("nothing expires while this machine's clock and that of the API server contradict each other", async () => {
  let theirs: number | null = DAY;
  const { pass, passes } = setUp({ serverNow: () => Promise.resolve(theirs) });
  await pass(10 * MINUTE);
  expect(passes).toStrictEqual([]);
  theirs = null;
  await pass(10 * MINUTE);
  expect(passes).toStrictEqual([20 * MINUTE]);
});

test("nothing expires while the API server's clock can't be read", async () => {
  const { pass, passes } = setUp({ serverNow: () => Promise.reject(new Error('It does not answer.')) });
  await pass(10 * MINUTE);
  expect(passes).toStrictEqual([]);
});

test('one process at a time expires, and the lease is renewed while it lasts', async () => {
  const { clock, pass, passes, answers, leased } = setUp();
  leased.isHeldElsewhere = true;
  await pass(10 * MINUTE);
  expect(passes).toStrictEqual([]);
  leased.isHeldElsewhere = false;
  const { promise, resolve } = Promise.withResolvers<{ bodies: number; series: number }>();
  answers(() => promise);
  await pass(10 * MINUTE);
  const before = leased.renewals;
  await clock.advance(9_000);
  expect([passes.length, leased.renewals - before, leased.releases]).toStrictEqual([1, 3, 0]);
  resolve({ bodies: 0, series: 0 });
  await clock.advance(3_000);
  expect(leased).toStrictEqual({ isHeldElsewhere: false, renewals: before + 3, releases: 1 });
});

test('a policy without limits does nothing', async () => {
  const { pass, passes } = setUp({ retention: { days: 0, perWorkload: 0 } });
  await pass(DAY);
  expect(passes).toStrictEqual([]);
});
