import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Archive } from '@/server/archive/archive';
import { type Lease, LEASE_MS } from '@/server/archive/lease';
import { openArchive } from '@/server/archive/open';
import type { Notice } from '@/server/archive/outbox';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import { sampleIncarnation, sampleRecording, START_MS } from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const DAY_MS = 86_400_000;
const incarnation = sampleIncarnation();

function notice(id: string, change: Partial<Notice> = {}): Notice {
  return {
    id,
    cluster: 'prod',
    kind: 'started',
    atMs: START_MS,
    payload: `{"id":"${id} \\u0000"}`,
    targets: ['a', 'b'],
    ...change,
  };
}

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  let place: TestDatabase;
  let archive: Archive;
  let lease: Lease;

  beforeEach(async () => {
    place = await makePlace();
    archive = await openArchive(place);
    lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
  });
  afterEach(async () => {
    await archive.close();
    await place.remove();
  });

  const record = (notices: readonly Notice[], nowMs = START_MS, under = lease) =>
    archive.record(under, [{ ...sampleRecording(incarnation, 2), notices }], nowMs);

  async function dueOf(target: string, nowMs = START_MS): Promise<string[]> {
    return (await archive.outbox.due(['prod'], target, nowMs, 10)).map(({ id }) => id);
  }

  test('stores a notice with what it is about, or neither, and once for each target', async () => {
    await archive.leases.acquire('two', START_MS + 2 * LEASE_MS, 'prod');
    await expect(record([notice('lost')])).rejects.toMatchObject({ code: 'conflict' });
    lease = (await archive.leases.acquire('one', START_MS + 4 * LEASE_MS, 'prod')) as Lease;
    await record([notice('first'), notice('second', { targets: ['a'] })]);
    await record([notice('first', { payload: 'again' })]);
    await archive.close();
    archive = await openArchive(place);
    expect(await dueOf('a')).toStrictEqual(['first', 'second']);
    expect(await archive.outbox.due(['prod'], 'b', START_MS, 10)).toStrictEqual([
      {
        id: 'first',
        cluster: 'prod',
        target: 'b',
        kind: 'started',
        payload: '{"id":"first \\u0000"}',
        createdMs: START_MS,
        attempts: 0,
      },
    ]);
  });

  test('sends no notice of what is long past when it is recorded', async () => {
    await record([
      notice('old', { atMs: START_MS - 3_600_001 }),
      notice('new', { atMs: START_MS - 3_600_000 }),
    ]);
    expect(await dueOf('a')).toStrictEqual(['new']);
  });

  test('stores a verdict and its notice together or not at all', async () => {
    await record([]);
    const verdict = {
      verdict: 'bad',
      by: 'ben',
      at: new Date(START_MS).toISOString(),
      followUp: null,
    } as const;
    const noticesOf = ({ version }: { version: number }) => [notice(`bad.${version}`)];
    await expect(archive.reviews.save('uid-cart.1', verdict, 5, undefined, noticesOf)).rejects.toMatchObject({
      code: 'conflict',
    });
    await archive.reviews.save('uid-cart.1', verdict, 0, undefined, noticesOf);
    await archive.reviews.save('uid-cart.1', verdict, 1, { body: 'again' }, noticesOf);
    expect(await dueOf('a')).toStrictEqual(['bad.1', 'bad.2']);
  });

  test('a failed notice waits for its time, a delivered or abandoned one is never due again', async () => {
    const ids = ['late', 'sent', 'lost'];
    await record(ids.map((id) => notice(id)));
    const settle = (id: string, error: string | null, nextMs: number | null) =>
      archive.outbox.settle(lease, { id, target: 'a' }, { error, nextMs }, START_MS + 1_000);
    await settle('late', 'Status 500.', START_MS + 5_000);
    await settle('sent', null, null);
    await settle('lost', 'Status 404.', null);
    expect(await dueOf('a', START_MS + 4_999)).toStrictEqual([]);
    expect(await archive.outbox.due(['prod'], 'a', START_MS + 5_000, 10)).toMatchObject([
      { id: 'late', attempts: 1 },
    ]);
    await record(ids.map((id) => notice(id)));
    expect(await dueOf('a', START_MS + DAY_MS)).toStrictEqual(['late']);
    expect(await dueOf('b')).toStrictEqual(['late', 'lost', 'sent']);
    expect(await archive.outbox.states()).toStrictEqual([
      {
        target: 'a',
        waiting: 1,
        delivered: 1,
        givenUp: 1,
        lastDeliveredMs: START_MS + 1_000,
        failingSinceMs: null,
        lastError: null,
      },
      {
        target: 'b',
        waiting: 3,
        delivered: 0,
        givenUp: 0,
        lastDeliveredMs: null,
        failingSinceMs: null,
        lastError: null,
      },
    ]);
    await archive.outbox.settle(
      lease,
      { id: 'late', target: 'a' },
      { error: 'Status 502.', nextMs: START_MS + 9_000 },
      START_MS + 6_000,
    );
    expect((await archive.outbox.states())[0]).toMatchObject({
      failingSinceMs: START_MS,
      lastError: 'Status 502.',
    });
  });

  test('only the holder of the lease may settle and prune', async () => {
    await record([notice('first')]);
    await archive.leases.acquire('two', START_MS + 2 * LEASE_MS, 'prod');
    const sent = { error: null, nextMs: null };
    const settling = archive.outbox.settle(lease, { id: 'first', target: 'a' }, sent, START_MS);
    await expect(settling).rejects.toMatchObject({ code: 'conflict' });
    await expect(archive.outbox.prune(lease, ['a'], START_MS)).rejects.toMatchObject({ code: 'conflict' });
    expect(await dueOf('a')).toStrictEqual(['first']);
  });

  test('abandons what waits for a removed target and the oldest of too many, and removes the long settled', async () => {
    const many = Array.from({ length: 5_003 }, (_, index) => notice(`n${String(index).padStart(4, '0')}`));
    await record(many);
    await archive.outbox.prune(lease, ['a'], START_MS);
    const [a, b] = await archive.outbox.states();
    expect(a).toMatchObject({ target: 'a', waiting: 5_000, givenUp: 3 });
    expect(b).toMatchObject({ target: 'b', waiting: 0, givenUp: 5_003 });
    expect((await dueOf('a'))[0]).toBe('n0003');
    await archive.outbox.prune(lease, ['a'], START_MS + 31 * DAY_MS);
    expect(await archive.outbox.states()).toMatchObject([{ target: 'a', waiting: 5_000, givenUp: 0 }]);
    await archive.outbox.prune(lease, [], START_MS + 62 * DAY_MS);
    await archive.outbox.prune(lease, [], START_MS + 62 * DAY_MS);
    expect(await archive.outbox.states()).toStrictEqual([]);
  });
});
