import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { Heartbeat } from '@/server/cluster/heartbeat';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';

const silent = new AppError('timeout', 'no answer');

function setUp() {
  const clock = new VirtualClock();
  const server = {
    ...{ failure: undefined as AppError | undefined, asked: 0, heardAt: clock.now() },
    ...{ isLost: false, onAsked: () => {} },
  };
  const turns: string[] = [];
  const heartbeat = new Heartbeat({
    clock,
    transport: {
      text: () => {
        server.asked += 1;
        server.onAsked();
        return server.failure === undefined ? Promise.resolve('') : Promise.reject(server.failure);
      },
    },
    lastContactAt: () => server.heardAt,
    isUnreachable: () => server.isLost,
    onUnresponsive: () => turns.push(heartbeat.failure?.message ?? ''),
    onRecovered: (since) => turns.push(`back after ${clock.now() - since}`),
  });
  const stopping = new AbortController();
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
  await clock.advance(7_000);
  expect(heartbeat.failure).toBe(silent);
  server.failure = undefined;
  await clock.advance(1_000);
  expect(turns).toEqual(['no answer', 'back after 3000']);
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
  await clock.advance(1_000);
  expect(heartbeat.failure).toBeUndefined();
  await stop();
});

test('reports an API server that others lost as soon as it answers, however short the outage', async () => {
  const { clock, server, turns, stop } = setUp();
  await clock.advance(4_000);
  server.isLost = true;
  server.heardAt = clock.now();
  server.failure = silent;
  await clock.advance(3_000);
  server.failure = undefined;
  await clock.advance(1_000);
  server.isLost = false;
  expect(turns).toEqual(['no answer', 'back after 3000']);
  await stop();
});
