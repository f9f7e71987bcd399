import { setImmediate } from 'node:timers/promises';
import { type KyselyPlugin, sql } from 'kysely';
import fc from 'fast-check';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';
import { Archive } from '@/server/archive/archive';
import { type Lease, MAINTENANCE, requireLease } from '@/server/archive/lease';
import { openDatabase } from '@/server/archive/open';
import { ArchiveRetention } from '@/server/archive/retention';
import type { ArchiveSession } from '@/server/archive/session';
import type { ArchiveDatabase } from '@/server/archive/migrations/schema';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import {
  hashOf,
  hour,
  sampleBody,
  sampleIncarnation,
  sampleRecord,
  sampleRevision,
  START_MS,
} from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const DAY = 24;
const DAY_MS = DAY * 3_600_000;
const START_DAY = (number: number) => START_MS + number * DAY_MS;

/** Rows that each statement returned or changed, in order. */
function countRows(rows: number[]): KyselyPlugin {
  return {
    transformQuery: ({ node }) => node,
    transformResult: ({ result }) => {
      rows.push(Math.max(result.rows.length, Number(result.numAffectedRows ?? 0n)));
      return Promise.resolve(result);
    },
  };
}

describe.each(engines)('retention on $engine', ({ createDatabase: makePlace }) => {
  let place: TestDatabase;
  let database: ArchiveDatabase;
  let archive: Archive;
  let lease: Lease;
  let upkeep: Lease;

  beforeEach(async () => {
    place = await makePlace();
    database = await openDatabase(place);
    archive = new Archive(database, 1_000);
    lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
    upkeep = (await archive.leases.acquire('one', START_MS, MAINTENANCE)) as Lease;
  });
  afterEach(async () => {
    await archive.close();
    await place.remove();
  });

  /** One a day, each pruned by the next. */
  async function fill(life: WorkloadIncarnation, last: number): Promise<void> {
    const numbers = Array.from({ length: last }, (_, index) => index + 1);
    const recording = {
      incarnation: life,
      revisions: numbers.map((number) => ({
        revision: sampleRevision(life, number, { prunedAt: number < last ? hour(number * DAY) : null }),
        body: sampleBody(life.name, number),
      })),
      activations: [],
      records: numbers.map((number) => sampleRecord(life, number, { startedAt: hour(number * DAY) })),
    };
    await archive.record(lease, [recording], START_MS);
  }

  function retentionBy(run: ArchiveSession['run']): ArchiveRetention {
    return new ArchiveRetention({ engine: database.engine, run });
  }

  async function keptOf(name: string, last: number): Promise<number[]> {
    const numbers = Array.from({ length: last }, (_, index) => index + 1);
    const bodies = await archive.revisions.bodies(numbers.map((number) => hashOf(name, number)));
    return numbers.filter((number) => bodies.has(hashOf(name, number)));
  }

  test('walks a large archive in small steps, with a turn of the event loop after each', async () => {
    await fill(sampleIncarnation('cart'), 700);
    await fill(sampleIncarnation('pay'), 600);
    const rows: number[] = [];
    const counted = new Archive({ ...database, db: database.db.withPlugin(countRows(rows)) }, 1_000);
    // Of a slow database there are too many turns to keep the figure of each.
    let mostPerTurn = 0;
    let isOver = false;
    const turns = (async () => {
      for (let before = 0; !isOver; before = rows.length) {
        await setImmediate();
        mostPerTurn = Math.max(mostPerTurn, rows.length - before);
      }
    })();
    const expired = await counted.retention.expire(upkeep, { days: 0, perWorkload: 550 }, START_DAY(700));
    isOver = true;
    await turns;
    // The oldest retained record names the template it replaced.
    expect(expired).toStrictEqual({ bodies: 149 + 49, series: 150 + 50 });
    expect(await keptOf('cart', 200)).toStrictEqual(numbersFrom(150, 200));
    expect(await keptOf('pay', 100)).toStrictEqual(numbersFrom(50, 100));
    expect(Math.max(...rows)).toBeLessThanOrEqual(500);
    expect(mostPerTurn).toBeLessThanOrEqual(4);
  }, 60_000);

  test('keeps a template that returns at any moment while it walks the archive', async () => {
    for (let at = 1, slices = 0; slices >= at - 1; at += 1) {
      slices = 0;
      const life = sampleIncarnation(`cart-${at}`);
      await fill(life, 9);
      const again = sampleRevision(life, 2, { id: 'again', prunedAt: null });
      const record = sampleRecord(life, 10, { startedAt: hour(9 * DAY), to: sampleRecord(life, 3).to });
      const run: ArchiveSession['run'] = async (work) => {
        slices += 1;
        const revisions = [{ revision: again, body: sampleBody(life.name, 2) }];
        const recording = { incarnation: life, revisions, activations: [], records: [record] };
        if (slices === at) await archive.record(lease, [recording], START_MS);
        return work(database.db);
      };
      await retentionBy(run).expire(upkeep, { days: 0, perWorkload: 1 }, START_DAY(10));
      const kept = await keptOf(life.name, 9);
      expect(kept).toEqual(expect.arrayContaining(slices >= at ? [2, 3, 9] : [9]));
      expect(kept).not.toContain(5);
    }
  });

  test('deletes no template while a recording that may name it is in progress', async () => {
    if (database.engine === 'sqlite') return; // It has one writer at a time.
    const life = sampleIncarnation('cart');
    await fill(life, 3);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    const { promise: isHeld, resolve: hold } = Promise.withResolvers<void>();
    const recording = database.db.transaction().execute(async (transaction) => {
      await requireLease(transaction, database.engine, lease);
      hold();
      await released;
    });
    await isHeld;
    let isOver = false;
    const expiring = archive.retention
      .expire(upkeep, { days: 0, perWorkload: 1 }, START_DAY(10))
      .finally(() => (isOver = true));
    await expect.poll(() => waitsForTable(database)).toBe(true);
    expect([isOver, await keptOf('cart', 3)]).toStrictEqual([false, [1, 2, 3]]);
    release();
    await Promise.all([recording, expiring]);
    expect(await keptOf('cart', 3)).toStrictEqual([2, 3]);
  });

  test('ends between two steps when it is aborted, and changes nothing more', async () => {
    await fill(sampleIncarnation('cart'), 9);
    const stopping = new AbortController();
    const run: ArchiveSession['run'] = (work) => {
      stopping.abort();
      return work(database.db);
    };
    const policy = { days: 0, perWorkload: 1 };
    const expiring = retentionBy(run).expire(upkeep, policy, START_DAY(10), stopping.signal);
    await expect(expiring).rejects.toThrow('aborted');
    expect(await keptOf('cart', 9)).toHaveLength(9);
  });

  test('does not trust a clock that is years ahead of the latest rollout', async () => {
    await fill(sampleIncarnation('cart'), 9);
    await archive.retention.expire(upkeep, { days: 12, perWorkload: 0 }, START_DAY(4_000));
    expect(await keptOf('cart', 9)).toStrictEqual(numbersFrom(3, 9));
  });

  test('retains of every archive what the policy states', async () => {
    const workload = fc.record({
      deletedDay: fc.option(fc.integer({ min: 5, max: 12 })),
      isCommon: fc.boolean(),
    });
    const rollout = fc.record({
      life: fc.integer({ min: 0, max: 2 }),
      day: fc.integer({ min: 1, max: 9 }),
      template: fc.integer({ min: 1, max: 6 }),
      prunedDay: fc.option(fc.integer({ min: 1, max: 10 })),
      isPinned: fc.boolean(),
      isOpen: fc.boolean(),
    });
    const policy = fc.record({
      days: fc.integer({ min: 0, max: 8 }),
      perWorkload: fc.integer({ min: 0, max: 3 }),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.tuple(workload, workload, workload),
        fc.array(rollout, { minLength: 1, maxLength: 12 }),
        policy,
        async (workloads, rollouts, { days, perWorkload }) => {
          round += 1;
          const lives = workloads.map(({ deletedDay, isCommon }, index) =>
            sampleIncarnation(isCommon ? `common-${round}` : `app-${round}-${index}`, {
              uid: `uid-${round}-${index}`,
              deletedAt: deletedDay === null ? null : hour(deletedDay * DAY),
            }),
          );
          const made = rollouts.map((one, index) => {
            const life = lives[one.life] as WorkloadIncarnation;
            const { to } = sampleRecord(life, one.template);
            const record = sampleRecord(life, index + 1, {
              startedAt: hour(one.day * DAY),
              outcome: one.isOpen ? null : 'completed',
              pinned: one.isPinned,
              from: null,
              to,
            });
            const prunedAt = one.prunedDay === null ? null : hour(one.prunedDay * DAY);
            const revision = sampleRevision(life, one.template, { id: `${life.uid}-${index}`, prunedAt });
            return {
              life,
              record,
              revision: { ...revision, firstSeenAt: hour(index) },
              body: sampleBody(life.name, one.template),
            };
          });
          for (const { life, record, revision, body } of made)
            await archive.record(
              lease,
              [{ incarnation: life, revisions: [{ revision, body }], activations: [], records: [record] }],
              START_MS,
            );
          const nowMs = START_DAY(11);
          const newest = await database.db
            .selectFrom('record')
            .select(({ fn }) => fn.max('started_ms').as('ms'))
            .executeTakeFirstOrThrow();
          const sinceMs = days === 0 ? -Infinity : Math.min(nowMs, newest.ms + 7 * DAY_MS) - days * DAY_MS;
          const count = perWorkload === 0 ? Infinity : perWorkload;
          const expected = new Set<string>();
          for (const { life, record, revision } of made) {
            const ofLife = made.filter((other) => other.life === life);
            const later = ofLife.filter((other) => other.record.activation > record.activation).length;
            const isYoung = later < count && Date.parse(record.startedAt ?? '') >= sinceMs;
            if (isYoung || record.pinned || record.outcome === null) expected.add(record.to.hash);
            const end = Date.parse(revision.prunedAt ?? life.deletedAt ?? '') || Infinity;
            const before = ofLife.filter((other) => comesBefore(other.revision, revision)).length;
            if (end === Infinity || (before < count && end >= sinceMs)) expected.add(revision.hash);
          }
          await archive.retention.expire(upkeep, { days, perWorkload }, nowMs);
          const hashes = made.map(({ record }) => record.to.hash);
          expect(new Set((await archive.revisions.bodies(hashes)).keys())).toStrictEqual(expected);
        },
      ),
      { numRuns: 20 },
    );
  }, 60_000);
});

/** Whether a revision ranks higher among those of its incarnation. */
function comesBefore(
  one: { prunedAt: string | null; firstSeenAt: string },
  other: { prunedAt: string | null; firstSeenAt: string },
): boolean {
  const [a, b] = [one.prunedAt ?? '9', other.prunedAt ?? '9'];
  return a === b ? one.firstSeenAt > other.firstSeenAt : a > b;
}

function numbersFrom(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

async function waitsForTable({ db }: ArchiveDatabase): Promise<boolean> {
  const { rows } = await sql`select 1 from pg_locks where not granted and mode = 'ExclusiveLock'`.execute(db);
  return rows.length > 0;
}
