import { afterAll, expect, test } from 'vitest';
import { chunksOf } from '@/server/archive/column-values';
import { openDatabase } from '@/server/archive/open';
import { pagesOf } from '@/server/archive/pages';
import { enginesUnderTest } from '@/server/archive/testing/engines';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

test.each(engines)('pages on $engine have every row once, in the order of the key', async (engine) => {
  const place = await engine.createDatabase();
  const { db } = await openDatabase(place);
  const rows = ['a', 'b', 'c'].flatMap((workload_uid) =>
    Array.from({ length: 400 }, (_, number) => ({ cluster: 'prod', workload_uid, number, document: '{}' })),
  );
  for (const some of chunksOf(rows.toReversed())) await db.insertInto('activation').values(some).execute();
  const pages: object[][] = [];
  const query = db.selectFrom('activation').select(['cluster', 'workload_uid', 'number', 'document']);
  for await (const page of pagesOf(query, 'workload_uid', 'number')) pages.push(page);
  expect(pages.map(({ length }) => length)).toStrictEqual([500, 500, 200]);
  expect(pages.flat()).toStrictEqual(rows);
  await db.destroy();
  await place.remove();
});
