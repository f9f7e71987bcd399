import { semanticIdOf } from '@/server/shared/semantic-id';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import { versionedMeaning } from '@/lib/records/template-meaning';
import type { RevisionRef } from '@/lib/api/incarnation';
import type { Archive } from '@/server/archive/archive';
import type { Lease } from '@/server/archive/lease';
import { backfillMeanings } from '@/server/archive/meanings';
import { openArchive, openDatabase } from '@/server/archive/open';
import { hashOfText } from '@/server/archive/revisions';
import { verifyArchive } from '@/server/archive/verify';
import type { ArchiveDatabase } from '@/server/archive/migrations/schema';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import { sampleIncarnation, sampleRecord, START_MS } from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const incarnation = sampleIncarnation();

/** As it was applied, or with some of the API server's defaults. */
function bodyOf(number: number, isDefaulted: boolean): JsonObject {
  const spec = { containers: [{ name: 'cart', image: `cart:${number}` }] };
  return { spec: isDefaulted ? { ...spec, dnsPolicy: 'ClusterFirst', restartPolicy: 'Always' } : spec };
}

const hashOf = (body: JsonObject) => hashOfText(canonicalJson(body));
const meaningOf = (number: number) => versionedMeaning(semanticIdOf(bodyOf(number, false)));

/** As written by a version that stored the bytes alone. */
function refOf(number: number, isDefaulted = true): RevisionRef {
  return { number, id: null, hash: hashOf(bodyOf(number, isDefaulted)) };
}

const records = [
  sampleRecord(incarnation, 1, { from: null, to: refOf(1) }),
  sampleRecord(incarnation, 2, { from: refOf(1), to: refOf(2) }),
  sampleRecord(incarnation, 3, { from: refOf(2), to: refOf(1, false) }),
  sampleRecord(incarnation, 4, { from: refOf(1, false), to: refOf(1) }),
];

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  let place: TestDatabase;
  let database: ArchiveDatabase;

  beforeEach(async () => {
    place = await makePlace();
    database = await openDatabase(place);
  });
  afterEach(async () => {
    await database.db.destroy();
    await place.remove();
  });

  /** Closes it, and opens it as the next start does. */
  async function reopened<Result>(look: (archive: Archive) => Promise<Result>): Promise<Result> {
    const archive = await openArchive(place);
    try {
      return await look(archive);
    } finally {
      await archive.close();
    }
  }

  function write(bodies: readonly JsonObject[], written = records): Promise<void> {
    return reopened(async (archive) => {
      const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
      const kept = bodies.map((body) => ({ hash: hashOf(body), body }));
      const recording = { incarnation, revisions: [], activations: [], records: written, bodies: kept };
      await archive.record(lease, [recording], START_MS);
      await archive.leases.release(lease);
    });
  }

  const all = [1, 2].flatMap((number) => [bodyOf(number, true), bodyOf(number, false)]);

  function marks() {
    return reopened((archive) => archive.rollouts.summaries(incarnation, 10));
  }

  test('backfills the meaning of what was recorded by its bytes alone when the archive opens again', async () => {
    await write(all);
    const found = await marks();
    expect(found.map(({ from, to }) => [from?.meaning, to.meaning])).toStrictEqual([
      [undefined, meaningOf(1)],
      [meaningOf(1), meaningOf(2)],
      [meaningOf(2), meaningOf(1)],
      [meaningOf(1), meaningOf(1)],
    ]);
    expect(found.map(({ revertedBy }) => revertedBy)).toStrictEqual([null, 'uid-cart.3', null, null]);
    const ask = { cluster: 'prod', sinceMs: 0, namespaces: null, before: null, limit: 10 };
    const { items } = await reopened((archive) => archive.reports.rollouts(ask));
    // The last one led back to what it had replaced.
    expect(items.filter(({ isReturn }) => isReturn).map(({ id }) => id)).toStrictEqual(['uid-cart.3']);
    expect(await verifyArchive(database)).toStrictEqual([]);
  });

  test('backfills each record once, and leaves one whose templates have expired as it was', async () => {
    await write([bodyOf(1, true)]);
    const found = await marks();
    expect(found.map(({ from, to }) => [from?.meaning, to.meaning])).toStrictEqual([
      [undefined, meaningOf(1)],
      [meaningOf(1), undefined],
      [undefined, undefined],
      [undefined, meaningOf(1)],
    ]);
    expect(await backfillMeanings(database)).toBe(0);
  });

  test('reports progress after each slice, and continues at the next start after an interruption', async () => {
    const many = Array.from({ length: 250 }, (_, index) =>
      sampleRecord(incarnation, index + 1, { from: null, to: refOf(1) }),
    );
    await reopened(async (archive) => {
      const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
      await archive.record(lease, [{ incarnation, revisions: [], activations: [], records: many }], START_MS);
      await archive.leases.release(lease);
    });
    const progress: number[][] = [];
    const stopped = openArchive(place, (told, total) => {
      progress.push([told, total]);
      throw new DOMException('It is stopped.', 'AbortError');
    });
    await expect(stopped).rejects.toThrow('It is stopped.');
    await backfillMeanings(database, (told, total) => progress.push([told, total]));
    expect(progress).toStrictEqual([
      [100, 250],
      [100, 150],
      [150, 150],
    ]);
  });

  test('recomputes meanings by older rules, and keeps them where the template has expired', async () => {
    const old = (number: number) => ({ ...refOf(number), meaning: `0:${number}` });
    await write(
      [bodyOf(2, true)],
      [
        sampleRecord(incarnation, 1, { from: null, to: old(1) }),
        sampleRecord(incarnation, 2, { from: old(1), to: old(2) }),
      ],
    );
    const found = await marks();
    expect(found.map(({ to }) => to.meaning)).toStrictEqual(['0:1', meaningOf(2)]);
  });

  test('skips what is damaged or masked, and the archive opens', async () => {
    await write(all);
    const [first, second] = [hashOf(bodyOf(1, true)), hashOf(bodyOf(2, true))];
    await database.db
      .updateTable('body')
      .set({ bytes: Buffer.from('no') })
      .where('hash', '=', first)
      .execute();
    await database.db.updateTable('body').set({ masked: 1 }).where('hash', '=', second).execute();
    await sql`update record_document set document = ${Buffer.from('no')}
      where seq = (select seq from record where id = 'uid-cart.4')`.execute(database.db);
    expect(await backfillMeanings(database)).toBe(4);
    expect(await backfillMeanings(database)).toBe(0);
    const rows = await database.db
      .selectFrom('record')
      .select(['id', 'from_meaning', 'to_meaning'])
      .orderBy('id')
      .execute();
    expect(rows).toStrictEqual([
      { id: 'uid-cart.1', from_meaning: null, to_meaning: null },
      { id: 'uid-cart.2', from_meaning: null, to_meaning: null },
      { id: 'uid-cart.3', from_meaning: null, to_meaning: meaningOf(1) },
      { id: 'uid-cart.4', from_meaning: null, to_meaning: null },
    ]);
  });
});
