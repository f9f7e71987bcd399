import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, describe, expect, test } from 'vitest';
import type { RolloutRecord } from '@/lib/api/record';
import { Archive } from '@/server/archive/archive';
import type { Lease } from '@/server/archive/lease';
import { openDatabase } from '@/server/archive/open';
import { countRecords, recordSlices, type SearchLimits, searchRecords } from '@/server/archive/search';
import { boundsOf, type ClusterScope, type RecordQuery, where } from '@/server/archive/record-query';
import { termsOf } from '@/server/archive/search-terms';
import { enginesUnderTest } from '@/server/archive/testing/engines';
import { hour, sampleIncarnation, sampleRecord, START_MS } from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const HOUR_MS = 3_600_000;
const everything: RecordQuery = { clusters: [{ cluster: 'prod', scopes: null }], limit: 50 };

const words = [
  'cart',
  'Cart',
  'car',
  'Ärger',
  'ärger',
  'I\u0307',
  'memory-limit',
  '1.4.2',
  'ß',
  'ſ',
  '猫',
  '%',
  '_',
  "'",
  '𝒳',
  'a:b',
];
const word = fc.constantFrom(...words);
const people = ['ann', 'Ann', 'ben'];
const instantOrNot = fc.option(fc.integer({ min: 0, max: 5 }).map(hour));

const recordArbitrary = fc.record({
  cluster: fc.constantFrom('prod', 'prod', 'test'),
  name: fc.constantFrom('cart', 'pay'),
  namespace: fc.constantFrom('shop', 'Shop', 'ops'),
  resource: fc.constantFrom('deployments.apps', 'statefulsets.apps'),
  summary: fc.array(word, { maxLength: 3 }).map((some) => some.join(' ')),
  cause: fc.option(fc.array(word, { maxLength: 2 }).map((some) => some.join('/'))),
  image: word.map((some) => `registry.example/${some}:v1`),
  actor: fc.option(fc.constantFrom(...people)),
  outcome: fc.constantFrom('completed', 'failed', 'unknown', null),
  startedAt: instantOrNot,
  startedNotAfter: instantOrNot,
  endedAt: fc.option(fc.constantFrom(5.5, 20, 200).map(hour)),
  isReviewed: fc.boolean(),
  mentioned: fc.subarray(['user:ana', 'user:ben']),
} as const);

type Sample = typeof recordArbitrary extends fc.Arbitrary<infer Value> ? Value : never;

const list = <Value>(...values: Value[]) => fc.option(fc.subarray(values));
const place = fc.record({
  resource: fc.constantFrom('deployments.apps', 'statefulsets.apps'),
  namespaces: fc.subarray(['shop', 'Shop', 'ops']),
});
const moment = fc.option(fc.integer({ min: -1, max: 6 }).map((number) => Date.parse(hour(number))));
const queryArbitrary: fc.Arbitrary<Required<RecordQuery>> = fc.record({
  words: fc.array(
    fc.oneof(
      fc.constantFrom('ca', 'CART', 'är', 'exa', 'v1', '1.4', 'memory-l', 'limit', 'dep', '', '--', 'none'),
      word,
    ),
    { maxLength: 2 },
  ),
  namespaces: list('shop', 'Shop', 'ops'),
  resources: list('deployments.apps', 'statefulsets.apps'),
  name: fc.option(fc.constantFrom('cart', 'car')),
  uids: list('uid-cart', 'uid-pay'),
  clusters: fc.uniqueArray(
    fc.record({
      cluster: fc.constantFrom('prod', 'test', 'empty'),
      scopes: fc.option(fc.array(place, { maxLength: 2 })),
    }),
    { maxLength: 3, selector: ({ cluster }) => cluster },
  ),
  outcomes: list('completed' as const, 'failed' as const, 'open' as const),
  actor: fc.option(fc.constantFrom(...people)),
  image: fc.option(fc.constantFrom('cart', 'registry', 'example/c', 'v1', 'shop')),
  sinceMs: moment,
  untilMs: moment,
  during: fc.option(
    fc
      .tuple(fc.constantFrom(-1, 0, 3, 5.5, 40, 201), fc.constantFrom(0, 2, 300))
      .map(([from, length]) => ({ fromMs: Date.parse(hour(from)), toMs: Date.parse(hour(from + length)) })),
  ),
  reviewed: fc.option(fc.boolean()),
  mentions: list('user:ana', 'user:ben', 'user:cid'),
  limit: fc.integer({ min: 1, max: 4 }),
  cursor: fc.constant(null),
});

/** Each plan of a search, whatever the number of records. */
const limitsArbitrary: fc.Arbitrary<SearchLimits> = fc.record({
  narrowMax: fc.constantFrom(0, 5, 4_000),
  walkMax: fc.constantFrom(1, 10, 4_000),
  intersectMax: fc.constantFrom(0, 10, 4_000),
  sliceRows: fc.constantFrom(1, 7, 60, Infinity),
});

function toRecord(sample: Sample, index: number): RolloutRecord {
  const { cluster, name, namespace, resource, actor, image, isReviewed: _, mentioned: __, ...rest } = sample;
  return sampleRecord(sampleIncarnation(name, { cluster, namespace, resource }), index, {
    ...rest,
    id: `r${index}`,
    actor: actor === null ? null : { name: actor, source: 'managedFields', manager: null },
    images: [{ container: 'main', image }],
  });
}

/** What a query means, in slow code. */
function meets(
  record: RolloutRecord,
  { isReviewed, mentioned }: Pick<Sample, 'isReviewed' | 'mentioned'>,
  query: Required<RecordQuery>,
): boolean {
  const startMs = startOf(record);
  const beginsWith = (prefix: string) => termsOf(record).some((term) => term.startsWith(prefix));
  const bare = (text: string) => text.toLowerCase().replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu, '');
  const among = <Value>(values: readonly Value[] | null, value: Value) => values?.includes(value) ?? true;
  return (
    query.words.every((text) => beginsWith(bare(text))) &&
    (query.image === null || beginsWith(` image ${query.image}`)) &&
    among(query.namespaces, record.workload.namespace) &&
    among(query.resources, record.workload.resource) &&
    among(query.outcomes, record.outcome ?? 'open') &&
    (query.name === null || query.name === record.workload.name) &&
    among(query.uids, record.workload.uid) &&
    query.clusters.some((scope) => isAmong(record, scope)) &&
    isDuring(record, query.during) &&
    (query.actor === null || query.actor === record.actor?.name) &&
    (query.sinceMs === null || startMs >= query.sinceMs) &&
    (query.untilMs === null || startMs <= query.untilMs) &&
    (query.reviewed === null || query.reviewed === isReviewed) &&
    (query.mentions === null || mentioned.some((id) => query.mentions?.includes(id)))
  );
}

function isAmong({ workload }: RolloutRecord, { cluster, scopes }: ClusterScope): boolean {
  if (cluster !== workload.cluster) return false;
  return (
    scopes?.some(
      ({ resource, namespaces }) => resource === workload.resource && namespaces.includes(workload.namespace),
    ) ?? true
  );
}

function isDuring(record: RolloutRecord, during: Required<RecordQuery>['during']): boolean {
  const startMs = startOf(record);
  if (during === null) return true;
  if (startMs === 0 || startMs > during.toMs) return false;
  if (record.outcome === null) return true;
  const isEndSeen = record.outcome !== 'unknown' && record.endedAt !== null;
  return (isEndSeen ? Date.parse(record.endedAt ?? '') : startMs) >= during.fromMs;
}

function startOf({ startedAt, startedNotAfter }: RolloutRecord): number {
  const start = startedAt ?? startedNotAfter;
  return start === null ? 0 : Date.parse(start);
}

function latestFirst(one: RolloutRecord, other: RolloutRecord): number {
  return startOf(other) - startOf(one) || other.activation - one.activation || (one.id < other.id ? 1 : -1);
}

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  test('a search finds, and counts, what a filter over all records finds, in its order, page by page', async () => {
    const place = await makePlace();
    const database = await openDatabase(place);
    const archive: Archive = new Archive(database, 1_000);
    const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
    const samples = fc.sample(recordArbitrary, { numRuns: 60, seed: 5 });
    const records = samples.map(toRecord);
    await archive.record(
      lease,
      [{ incarnation: sampleIncarnation(), revisions: [], activations: [], records }],
      START_MS,
    );
    const verdict = { verdict: 'good', by: 'ann', at: hour(9), followUp: null } as const;
    for (const [index, { isReviewed, mentioned }] of samples.entries()) {
      if (isReviewed) await archive.reviews.save(`r${index}`, verdict, 0);
      const mentions = mentioned.map((id) => ({ id, name: id }));
      if (mentions.length > 0)
        await archive.reviews.addComment({
          ...{
            recordId: `r${index}`,
            by: 'ann',
            at: hour(9),
            body: '@',
            path: null,
            answers: null,
            mentions,
          },
        });
    }

    const ordered = [...records].sort(latestFirst);
    const sampleOf = (record: RolloutRecord) =>
      samples[records.indexOf(record)] ?? { isReviewed: false, mentioned: [] };
    await fc.assert(
      fc.asyncProperty(queryArbitrary, limitsArbitrary, async (query, effort) => {
        const expected = ordered.filter((record) => meets(record, sampleOf(record), query));
        const found: RolloutRecord[] = [];
        for (let cursor: string | null = null, isFirst = true; isFirst || cursor !== null; isFirst = false) {
          const page = await searchRecords(database.db, { ...query, cursor }, effort);
          found.push(...page.items.map(({ record }) => record));
          cursor = page.nextCursor;
        }
        expect(found).toStrictEqual(expected.map((record) => ({ ...record, samples: [] })));
      }),
      { numRuns: 100 },
    );
    await fc.assert(
      fc.asyncProperty(
        queryArbitrary,
        fc.constantFrom(HOUR_MS / 4, 2 * HOUR_MS, 1_000 * HOUR_MS, null),
        fc.constantFrom(1, 7, 60, Infinity),
        fc.constantFrom(0, 5, 30_000),
        async (query, partMs, sliceRows, intersectMax) => {
          const counts = new Map<string, number>();
          for (const record of ordered.filter((each) => meets(each, sampleOf(each), query))) {
            const part = partMs === null ? 0 : Math.floor(startOf(record) / partMs) * partMs;
            const key = `${part} ${record.outcome ?? 'open'}`;
            counts.set(key, (counts.get(key) ?? 0) + 1);
          }
          const counted = await countRecords(database.db, query, partMs, { sliceRows, intersectMax });
          expect(
            new Map(counted.map(({ fromMs, outcome, count }) => [`${fromMs} ${outcome}`, count])),
          ).toEqual(counts);
          expect(counted.map(({ fromMs }) => fromMs)).toEqual(
            counted.map(({ fromMs }) => fromMs).sort((one, other) => one - other),
          );
        },
      ),
      { numRuns: 60 },
    );
    const sizes: number[] = [];
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns += 1;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const bounds = boundsOf({ ...everything, cluster: 'prod', scopes: null });
    for await (const slice of recordSlices(database.db, bounds, 7)) {
      const { rows } = await sql`select seq from record ${where([...bounds, ...slice])}`.execute(database.db);
      sizes.push(rows.length);
    }
    isOver = true;
    const ofProd = records.filter(({ workload }) => workload.cluster === 'prod').length;
    expect(sizes.slice(0, -1).every((size) => size === 7)).toBe(true);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(ofProd);
    expect(turns).toBeGreaterThanOrEqual(sizes.length - 1);
    expect((await archive.rollouts.search({ ...everything, words: ['cart'] })).items.length).toBeGreaterThan(
      0,
    );
    await archive.close();
    await place.remove();
  });
});
