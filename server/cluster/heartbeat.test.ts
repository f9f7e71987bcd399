import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { Heartbeat } from '@/server/cluster/heartbeat';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';

const silent = new AppError('timeout', 'no answer');

function setUp() {
  const clock = new VirtualClock();
  const stopping = new AbortController();
  const server = {
    ...{ failure: undefined as AppError | undefined, asked: 0, heardAt: clock.now() },
    ...{ isLost: false, onAsked: () => {}, latencyMs: 0 },
  };
  const turns: string[] = [];
  const heartbeat = new Heartbeat({
    clock,
    random: () => 1,
    transport: {
      text: async ({ timeoutMs = 0, signal }) => {
        server.asked += 1;
        server.onAsked();
        if (server.latencyMs > 0)
          await clock.sleep(Math.min(server.latencyMs, timeoutMs), signal ?? stopping.signal);
        if (server.latencyMs > timeoutMs) throw silent;
        if (server.failure !== undefined) throw server.failure;
        return '';
      },
    },
    lastContactAt: () => server.heardAt,
    isUnreachable: () => server.isLost,
    onUnresponsive: () => turns.push(heartbeat.failure?.message ?? ''),
    onRecovered: (since) => turns.push(`back after ${clock.now() - since}`),
  });
  const done = heartbeat.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await done;
  };
  return { clock, server, turns, heartbeat, stop };
}

test('sends no request while the API server is heard from', async () => {
  const { clock, server, stop } = setUp();
  for (let beat = 0; beat < 10; beat += 1) {
    server.heardAt = clock.now() + 1_000;
    await clock.advance(5_000);
  }
  expect(server.asked).toBe(0);
  await stop();
  expect(clock.sleeping).toBe(0);
});

test('probes a quiet API server, and calls it silent only when it does not answer', async () => {
  const { clock, server, turns, heartbeat, stop } = setUp();
  await clock.advance(20_000);
  expect(server.asked).toBe(4);
  expect(heartbeat.failure).toBeUndefined();
  server.failure = silent;
  await clock.advance(6_000);
  expect(heartbeat.failure).toBe(silent);
  server.failure = undefined;
  await clock.advance(2_000);
  expect(turns).toEqual(['no answer', 'back after 2400']);
  await stop();
});

test.each(['forbidden', 'unauthorized', 'rate_limited', 'cluster_error'] as const)(
  'a rejection is a sign of life (%s)',
  async (code) => {
    const { clock, server, turns, stop } = setUp();
    server.failure = new AppError(code, 'no');
    await clock.advance(30_000);
    expect(turns).toEqual([]);
    await stop();
  },
);

test('an API server heard from elsewhere during the probe is back', async () => {
  const { clock, server, heartbeat, stop } = setUp();
  server.failure = silent;
  await clock.advance(6_000);
  expect(heartbeat.failure).toBe(silent);
  server.onAsked = () => {
    server.heardAt = clock.now() + 1;
  };
  await clock.advance(2_000);
  expect(heartbeat.failure).toBeUndefined();
  await stop();
});

test('reports an API server that others lost as soon as it answers, however short the outage', async () => {
  const { clock, server, turns, heartbeat, stop } = setUp();
  await clock.advance(4_000);
  server.isLost = true;
  server.heardAt = clock.now();
  server.failure = silent;
  heartbeat.probeNow();
  await clock.advance(2_000);
  server.failure = undefined;
  await clock.advance(1_000);
  server.isLost = false;
  expect(turns).toEqual(['no answer', 'back after 2400']);
  await stop();
});

test('probes one that is away at growing intervals, after an hour every five minutes, and at once when others hear from it', async () => {
  const { clock, server, turns, heartbeat, stop } = setUp();
  server.failure = silent;
  const at: number[] = [];
  server.onAsked = () => at.push(clock.now());
  await clock.advance(5_000 + 3_600_000);
  const waits = at.slice(1).map((time, index) => time - (at[index] ?? 0));
  expect(waits.slice(0, 8)).toEqual([800, 1_600, 3_200, 6_400, 12_800, 25_600, 30_000, 30_000]);
  expect(at.length).toBeLessThan(130);
  at.length = 0;
  await clock.advance(3_600_000);
  expect(at.length).toBeLessThan(16);
  server.failure = undefined;
  server.heardAt = clock.now();
  heartbeat.probeNow();
  await clock.settle();
  expect(turns).toEqual(['no answer', 'back after 7200000']);

  server.failure = silent;
  await clock.advance(10_000);
  at.length = 0;
  await clock.advance(1_000);
  expect(at.length).toBeGreaterThan(0);
  await stop();
});

test('counts one that needs ten seconds as away once, and then as slow', async () => {
  const { clock, server, turns, heartbeat, stop } = setUp();
  server.latencyMs = 10_000;
  await clock.advance(600_000);
  expect(turns).toEqual(['no answer', 'back after 10800']);
  expect(heartbeat.failure).toBeUndefined();
  server.latencyMs = 60_000;
  await clock.advance(25_000);
  expect(heartbeat.failure).toBe(silent);
  await stop();
});

test('lets readers wait until it answers again, and stop waiting', async () => {
  const { clock, server, heartbeat, stop } = setUp();
  const { signal } = new AbortController();
  await heartbeat.untilAnswered(signal);
  server.failure = silent;
  await clock.advance(6_000);
  const leaving = new AbortController();
  const left = heartbeat.untilAnswered(leaving.signal);
  let isBack = false;
  const waiting = heartbeat.untilAnswered(signal).then(() => (isBack = true));
  leaving.abort(new Error('stopped'));
  await expect(left).rejects.toThrow('stopped');
  await clock.advance(10_000);
  expect(isBack).toBe(false);
  server.failure = undefined;
  await clock.advance(30_000);
  await waiting;
  await stop();
});
