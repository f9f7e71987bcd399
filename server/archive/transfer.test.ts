import { Readable } from 'node:stream';
import { afterAll, describe, expect, test } from 'vitest';
import { containsMarker, type Mask } from '@/server/shared/mask';
import { Keys } from '@/server/shared/keys';
import { Archive } from '@/server/archive/archive';
import { compress, decompress } from '@/server/archive/column-values';
import { exportArchive } from '@/server/archive/export';
import { importArchive, splitIntoLines } from '@/server/archive/import';
import type { Lease } from '@/server/archive/lease';
import { openDatabase } from '@/server/archive/open';
import { DOCUMENT_VERSION } from '@/server/archive/upgrades';
import { vacuumArchive } from '@/server/archive/vacuum';
import { verifyArchive } from '@/server/archive/verify';
import type { ArchiveDatabase } from '@/server/archive/migrations/schema';
import { enginesUnderTest, type EngineUnderTest } from '@/server/archive/testing/engines';
import { anyAction, sampleAction } from '@/server/archive/testing/sample-actions';
import {
  hashOf,
  hour,
  sampleBody,
  sampleIncarnation,
  sampleRecord,
  sampleRecording,
  START_MS,
} from '@/server/archive/testing/samples';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const keys = new Keys(Buffer.alloc(32, 7));
const pairs = engines.flatMap((from) => engines.map((to) => [from, to] as const));

interface Opened {
  database: ArchiveDatabase;
  archive: Archive;
}

async function withArchive<Result>(
  { createDatabase: makePlace }: EngineUnderTest,
  work: (opened: Opened) => Promise<Result>,
): Promise<Result> {
  const place = await makePlace();
  const database = await openDatabase(place);
  const archive = new Archive(database, 1_000);
  try {
    return await work({ database, archive });
  } finally {
    await archive.close();
    await place.remove();
  }
}

async function exported({ database }: Opened, mask: Mask | null = null): Promise<string> {
  let text = '';
  await exportArchive(database, mask, (chunk) => {
    text += chunk;
    return Promise.resolve();
  });
  return text;
}

function importing({ database }: Opened, text: string) {
  return importArchive(database, splitIntoLines(chunksOf(text)));
}

/** Of such a length that lines are split between chunks. */
function chunksOf(text: string): AsyncIterable<string> {
  return Readable.from(text.match(/[^]{1,1000}/g) ?? []);
}

async function fill({ archive }: Opened): Promise<void> {
  const lease = (await archive.leases.acquire('one', START_MS, 'prod')) as Lease;
  await archive.clusters.saw({ id: 'prod', name: 'prod-eu', aliases: ['hash'] }, START_MS);
  // Files of one Shiplog mean nothing to another.
  const place = { source: 'kubeconfig /kube/prod', server: 'https://api.example', hash: 'hash' };
  const entry = { name: 'prod-eu', at: hour(1), moved: null, ...place };
  await archive.clusters.bind('prod', entry, null, START_MS);
  const labels = { team: 'https://bot:hunter2hunter2@git.example' };
  const incarnations = [
    sampleIncarnation('cart', { labels }),
    sampleIncarnation('pay', { namespace: 'Émile', deletedAt: hour(90) }),
  ];
  await archive.record(
    lease,
    incarnations.map((incarnation) => sampleRecording(incarnation, 4)),
    START_MS,
  );
  const odd = sampleRecord(sampleIncarnation(), 5, {
    cause: 'for DB_PASSWORD=hunter2hunter2 \u2028 \u0000 \ud800',
    actor: { name: 'ci DB_PASSWORD=hunter2hunter2', source: 'managedFields', manager: 'ci' },
    startedAt: null,
    outcome: null,
  });
  await archive.record(
    lease,
    [{ incarnation: sampleIncarnation(), revisions: [], activations: [], records: [odd] }],
    START_MS,
  );
  await archive.rollouts.pin('uid-cart.2', true);
  const verdict = { verdict: 'bad', by: 'ben', byId: 'user:ben', at: hour(9), followUp: null } as const;
  await archive.reviews.save('uid-cart.2', verdict, 0);
  await archive.reviews.save('uid-cart.2', { ...verdict, verdict: 'good' }, 1);
  const followUp = { person: 'ann, DB_PASSWORD=hunter2hunter2', due: '2026-01-31' };
  await archive.reviews.save('uid-cart.3', { ...verdict, verdict: 'followUp', followUp }, 0);
  await archive.reviews.save('uid-cart.3', { ...verdict, verdict: 'good' }, 1);
  const comment = { recordId: 'uid-pay.1', by: 'ann', at: hour(9), path: null };
  const first = await archive.reviews.addComment({
    ...comment,
    body: 'why? DB_PASSWORD=hunter2hunter2\u2028',
    answers: null,
  });
  const mentions = [{ id: 'user:ben', name: 'ben DB_PASSWORD=hunter2hunter2' }];
  await archive.reviews.addComment({ ...comment, body: 'see below, @ben', answers: first.id, mentions });
  await archive.reviews.editComment(
    first.id,
    { body: 'why so? DB_PASSWORD=hunter2hunter2', mentions: [] },
    {
      by: 'ann',
      at: hour(10),
    },
  );
  const actions = [
    sampleAction(1),
    sampleAction(2, { reason: 'for DB_PASSWORD=hunter2hunter2 \u0000 \ud800' }),
  ];
  await archive.actions.saveJournal({ id: 'file', bytes: 10, damaged: 0, mark: '', actions, events: [] });
}

describe.each(pairs)('from $engine to $engine', (from, to) => {
  test('an export that is imported and exported again is the same, and so are the reads', async () => {
    await withArchive(from, async (source) => {
      await fill(source);
      const text = await exported(source);
      await withArchive(to, async (target) => {
        const { added } = await importing(target, text);
        expect(added).toBe(text.trimEnd().split('\n').length - 2);
        expect(await exported(target)).toBe(text);
        expect(await importing(target, text)).toStrictEqual({ added: 0, known: added });
        expect(await exported(target)).toBe(text);
        expect(await verifyArchive(target.database)).toStrictEqual([]);
        for (const words of [[], ['hunter'], ['émile', 'cart'], ['1.3']]) {
          const query = { clusters: [{ cluster: 'prod', scopes: null }], words, limit: 3 };
          expect(await target.archive.rollouts.search(query)).toStrictEqual(
            await source.archive.rollouts.search(query),
          );
        }
        expect(await target.archive.actions.list(anyAction)).toStrictEqual(
          await source.archive.actions.list(anyAction),
        );
      });
    });
  });
});

describe.each(engines)('on $engine', (engine) => {
  test('masks credentials in an export unless the caller requests them', async () => {
    await withArchive(engine, async (source) => {
      await fill(source);
      const whole = await exported(source);
      const masked = await exported(source, keys.mask);
      expect(whole).toContain('correct-horse-2');
      expect(masked).not.toMatch(/correct-horse|hunter2/);
      await withArchive(engine, async (target) => {
        await importing(target, masked);
        expect(await verifyArchive(target.database)).toStrictEqual([]);
        expect(containsMarker(await target.archive.revisions.body(hashOf('cart', 2)))).toBe(true);
        expect(await exported(target, keys.mask)).toBe(masked);
        const review = (await target.archive.rollouts.byId('uid-cart.2'))?.review;
        expect([review?.byId, review?.history[0]?.byId]).toStrictEqual(['user:ben', 'user:ben']);
        // The unmasked templates replace the masked ones, not the other way round.
        await importing(target, whole);
        await importing(target, masked);
        expect(await target.archive.revisions.body(hashOf('cart', 2))).toStrictEqual(sampleBody('cart', 2));
      });
    });
  });

  test('every document states its version, in its row and in an export', async () => {
    await withArchive(engine, async (source) => {
      await fill(source);
      const { db } = source.database;
      const texts: string[] = [];
      for (const table of [
        'cluster',
        'incarnation',
        'revision',
        'activation',
        'review',
        'comment',
        'action',
      ]) {
        const rows = await db
          .selectFrom(table as 'incarnation')
          .select('document')
          .execute();
        expect(rows).not.toHaveLength(0);
        texts.push(...rows.map(({ document }) => document));
      }
      const records = await db.selectFrom('record_document').select('document').execute();
      texts.push(...records.map(({ document }) => decompress(document)));
      const lines = (await exported(source)).trimEnd().split('\n');
      const values = lines
        .map((line) => JSON.parse(line) as { value?: unknown })
        .filter(({ value }) => value);
      expect(values).toHaveLength(texts.length);
      for (const document of [
        ...texts.map((text) => JSON.parse(text) as unknown),
        ...values.map(({ value }) => value),
      ])
        expect(document).toMatchObject({ v: DOCUMENT_VERSION });
    });
  });

  test('rejects a file that is cut off, damaged or of a newer form, and stores nothing of it', async () => {
    await withArchive(engine, async (source) => {
      await fill(source);
      const lines = (await exported(source)).trimEnd().split('\n');
      const body = lines.findIndex((line) => line.includes('correct-horse-1'));
      const bad: [string[], RegExp][] = [
        [lines.slice(0, -1), /no end/],
        [lines.toSpliced(3, 1), /had \d+ lines/],
        [lines.slice(1), /Line 1 .*not the first line/],
        [lines.with(0, '{"type":"archive","format":99,"masked":false}'), /newer Shiplog.*upgrade/],
        [lines.with(1, '{"type":"incarnation","value":{"v":99}}'), /Line 2 .*newer Shiplog.*upgrade/],
        [lines.with(4, '{"type":'), /Line 5 .*no JSON/],
        [lines.with(1, '{"type":"incarnation","value":{}}'), /Line 2 /],
        [lines.with(body, String(lines[body]).replace('fast', 'slow')), /does not match its hash/],
        [lines.with(-1, '{"type":"what"}'), /can't be imported/],
        [[...lines, String(lines[1])], /after the end/],
      ];
      await withArchive(engine, async (target) => {
        const empty = await exported(target);
        for (const [broken, told] of bad) {
          const work = importing(target, broken.join('\n'));
          await expect(work).rejects.toMatchObject({
            code: 'bad_request',
            message: expect.stringMatching(told) as string,
          });
        }
        expect(await exported(target)).toBe(empty);
      });
    });
  });

  test('verifying reports each row that was altered', async () => {
    await withArchive(engine, async (opened) => {
      const { db } = opened.database;
      await fill(opened);
      expect(await verifyArchive(opened.database)).toStrictEqual([]);
      const hash = hashOf('cart', 1);
      await db
        .updateTable('body')
        .set({ bytes: compress('{"a":1}') })
        .where('hash', '=', hash)
        .execute();
      await db.deleteFrom('record_term').where('term', '=', 'pay').execute();
      await db.updateTable('incarnation').set({ document: '{}' }).where('name', '=', 'cart').execute();
      await db.updateTable('record').set({ reviewed: 1 }).where('id', '=', 'uid-cart.1').execute();
      const problems = await verifyArchive(opened.database);
      for (const what of [`template ${hash}`, 'record uid-pay.1', 'workload uid-cart', 'record uid-cart.1'])
        expect(problems.filter((problem) => problem.includes(what))).toHaveLength(1);
    });
  });

  test('a vacuum leaves everything as it was', async () => {
    await withArchive(engine, async (opened) => {
      await fill(opened);
      const before = await exported(opened);
      await vacuumArchive(opened.database);
      expect(await exported(opened)).toBe(before);
    });
  });
});
