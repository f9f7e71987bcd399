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
    heardAt: () => server.heardAt,
    isLost: () => server.isLost,
    onSilent: () => turns.push(heartbeat.failure?.message ?? ''),
    onBack: (since) => turns.push(`back after ${clock.now() - since}`),
  });
  const stopping = new AbortController();
  const done = heartbeat.run(stopping.signal);
  const stop = async () => {
    stopping.abort();
    await done;
  };
  return { clock, server, turns, heartbeat, stop };
}

test('an API server that is heard is not asked', async () => {
  const { clock, server, stop } = setUp();
  for (let beat = 0; beat < 10; beat += 1) {
    server.heardAt = clock.now() + 1_000;
    await clock.advance(5_000);
  }
  expect(server.asked).toBe(0);
  await stop();
  expect(clock.sleeping).toBe(0);
});

test('one that is quiet is asked, and counts as silent only when it does not answer', async () => {
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
  'an answer that refuses is a sign of life (%s)',
  async (code) => {
    const { clock, server, turns, stop } = setUp();
    server.failure = new AppError(code, 'no');
    await clock.advance(30_000);
    expect(turns).toEqual([]);
    await stop();
  },
);

test('who is heard elsewhere while it is asked is back', async () => {
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

test('who was lost by others is told of as soon as it answers, however short it was gone', async () => {
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
