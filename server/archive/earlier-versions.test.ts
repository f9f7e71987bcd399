import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canonicalJson, parseJson } from '@/lib/kube/json';
import type { RolloutRecord } from '@/lib/api/record';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';
import { rollbackRequestSchema } from '@/lib/api/actions';
import type { KubeObject } from '@/lib/kube/object';
import { kindOf } from '@/lib/workloads/kinds/table';
import { pathOf } from '@/server/actions/testing/fake-cluster';
import { ana, openShop } from '@/server/actions/testing/shop';
import type { Archive } from '@/server/archive/archive';
import { exportArchive } from '@/server/archive/export';
import { importArchive } from '@/server/archive/import';
import type { ArchiveDatabase } from '@/server/archive/migrations/schema';
import { openArchive, openDatabase } from '@/server/archive/open';
import { migrations } from '@/server/archive/migrations/migrations';
import { openPostgres } from '@/server/archive/postgres';
import { openSqlite } from '@/server/archive/sqlite';
import { earlierVersions, textOf, withNewNames } from '@/server/archive/testing/earlier-version';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import type { RecordQuery } from '@/server/archive/record-query';
import { DOCUMENT_VERSION } from '@/server/archive/upgrades';
import { verifyArchive } from '@/server/archive/verify';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const pairs = engines.flatMap((engine) => earlierVersions.map((version) => ({ engine, version })));

describe.each(pairs)('$version.name on $engine.engine', ({ engine, version }) => {
  const incarnations = version.rowsOf(version.schema < 9 ? 'life' : 'incarnation');
  const records = version.rowsOf('record');
  const cluster = String(incarnations[0]?.cluster);
  let place: TestDatabase;
  let archive: Archive;
  let database: ArchiveDatabase;

  beforeAll(async () => {
    place = await engine.createDatabase();
    database =
      place.databaseUrl === undefined
        ? openSqlite(`${place.dataDir}/archive.db`)
        : openPostgres(place.databaseUrl);
    await version.restore(database);
    archive = await openArchive(place);
  });
  afterAll(async () => {
    await archive.close();
    await database.db.destroy();
    await place.remove();
  });

  async function idsFound(query: Partial<RecordQuery>): Promise<string[]> {
    const { items } = await archive.rollouts.search({
      clusters: [{ cluster, scopes: null }],
      limit: 1_000,
      ...query,
    });
    return items.map(({ record }) => record.id).sort();
  }

  test('an archive is read with all its content, and is sound', async () => {
    expect(await verifyArchive(database)).toStrictEqual([]);
    const documents = version.documentsOf('record_document', 'seq');
    const reviews = version.documentsOf('review', 'seq');
    const comments = [...version.documentsOf('comment', 'id').values()];
    for (const { seq = null, id, pinned } of records) {
      const listed = await archive.rollouts.byId(String(id));
      expect(listed?.record).toMatchObject({ ...documents.get(seq), pinned: pinned === 1 });
      expect({ review: listed?.review }).toMatchObject({ review: reviews.get(seq) ?? null });
      const own = comments.filter((comment) => 'recordId' in comment && comment.recordId === id);
      expect(byId(await archive.reviews.comments(String(id)))).toMatchObject(byId(own));
    }
    for (const [id, document] of version.documentsOf('action', 'id'))
      expect({ action: await archive.actions.byId(String(id)) }).toMatchObject({
        action: (document as { action: object }).action,
      });
    for (const { uid } of incarnations) {
      const key = { cluster, uid: String(uid) };
      const [revisions, activations] = [
        await archive.revisions.of(key),
        await archive.workloads.activations(key),
      ];
      expect(revisions).toHaveLength(
        version.rowsOf('revision').filter((row) => row.workload_uid === uid).length,
      );
      expect(activations).toHaveLength(
        version.rowsOf('activation').filter((row) => row.workload_uid === uid).length,
      );
    }
  });

  test('its records are found by words, by image and by actor', async () => {
    expect(await idsFound({})).toStrictEqual(records.map(({ id }) => id).sort());
    for (const document of version.documentsOf('record_document', 'seq').values()) {
      const { id, workload, actor, images } = document as RolloutRecord;
      const words = [workload.name, workload.namespace];
      expect(await idsFound({ words })).toContain(id);
      for (const { image } of images) expect(await idsFound({ image })).toContain(id);
      if (actor !== null) expect(await idsFound({ actor: actor.name })).toContain(id);
    }
  });

  test('its clusters belong to no entry of the configuration, until one is bound', async () => {
    const known = await archive.clusters.list();
    expect(known.map(({ id, entry }) => [id, entry])).toStrictEqual([[cluster, null]]);
    const place = { source: 'kubeconfig /kube/prod', server: 'https://api.example', hash: 'hash' };
    const entry = { name: 'prod', at: new Date(0).toISOString(), moved: null, ...place };
    expect(await archive.clusters.bind(cluster, entry, null, 0)).toBe(true);
    expect(await archive.clusters.list()).toStrictEqual(
      known.map((row) => ({ ...row, name: row.name ?? 'prod', entry })),
    );
  });

  test('its export is complete in an empty archive', async () => {
    const text = await exported(database);
    const empty = await engine.createDatabase();
    const other = await openDatabase(empty);
    await importArchive(other, Readable.from(text.split(/(?<=\n)/)));
    expect(await exported(other)).toBe(text);
    expect(await verifyArchive(other)).toStrictEqual([]);
    await other.db.destroy();
    await empty.remove();
    for (const { id } of records) expect(text).toContain(`"id":${JSON.stringify(id)}`);
  });

  test('a rollback to each revision writes its template byte for byte', async () => {
    const bodies = new Map(version.rowsOf('body').map((row) => [row.hash, textOf(row.bytes ?? null)]));
    const shop = openShop([]);
    shop.archive = archive;
    shop.cluster.identity = { ...shop.cluster.identity, id: cluster };
    let count = 0;
    for (const incarnation of await archive.workloads.allIncarnations(cluster)) {
      const { resource, namespace, name } = incarnation;
      const object = workloadOf(incarnation);
      for (const { id, hash } of await archive.revisions.of(incarnation)) {
        shop.cluster.put(object);
        const seen = shop.seen({ resource, namespace, name });
        const request = rollbackRequestSchema.parse({ to: id, seen });
        const { applied, revision } = await shop.actions.rollback(ana, incarnation, request);
        expect([applied, revision?.origin]).toStrictEqual([true, 'archive']);
        const written = shop.cluster.get(pathOf(object)).spec?.template ?? null;
        expect(canonicalJson(written)).toBe(bodies.get(hash));
        count += 1;
      }
    }
    expect(count).toBe(version.rowsOf('revision').length);
    shop.actions.stop();
  });
});

/** As it is in a cluster that has none of the archived revisions. */
function workloadOf({ resource, kind, namespace, name, uid, createdAt }: WorkloadIncarnation): KubeObject {
  const { group, versions } = kindOf(resource)?.resource ?? { group: '', versions: [] };
  const metadata = { namespace, name, uid, resourceVersion: '1', creationTimestamp: createdAt };
  const template = { spec: { containers: [{ name: 'app', image: 'app:later' }] } };
  return { apiVersion: `${group}/${versions[0]}`, kind, metadata, spec: { replicas: 1, template } };
}

describe.each(engines)('on $engine', ({ createDatabase }) => {
  test.each(['export-1', 'export-2', 'export-2-meanings', 'export-3'])(
    '%s is imported with all its content',
    async (name) => {
      const text = readFileSync(new URL(`testing/versions/${name}.jsonl`, import.meta.url), 'utf8');
      const place = await createDatabase();
      const database = await openDatabase(place);
      const { added } = await importArchive(database, Readable.from(text.split(/(?<=\n)/)));
      const lines = text.trim().split('\n').slice(1, -1);
      expect(added).toBe(lines.length);
      expect(await verifyArchive(database)).toStrictEqual([]);
      const again = (await exported(database)).split('\n').slice(1, -2);
      const upgraded = lines.map((line) =>
        withNewNames(line)
          .replace('"type":"life"', '"type":"incarnation"')
          .replaceAll('"v":2', `"v":${DOCUMENT_VERSION}`),
      );
      expect(again.map((line) => parseJson(line))).toMatchObject(upgraded.map((line) => parseJson(line)));
      await database.db.destroy();
      await place.remove();
    },
  );
});

test('there is an archive of every schema that a version left behind', () => {
  const schemas = new Set(earlierVersions.map(({ schema }) => schema));
  // The second came and went with the third.
  const left = migrations.map((_, index) => index + 1).filter((schema) => schema !== 2);
  expect([...schemas].sort((a, b) => a - b)).toStrictEqual(left);
});

test('there is an archive with documents of every version before the present one', () => {
  const written = earlierVersions.flatMap((version) => version.documentVersions('record_document'));
  for (let version = 1; version < DOCUMENT_VERSION; version += 1) expect(written).toContain(version);
});

function byId(entries: readonly object[]): object[] {
  return entries.toSorted((a, b) => ('id' in a && 'id' in b && String(a.id) < String(b.id) ? -1 : 1));
}

async function exported(database: ArchiveDatabase): Promise<string> {
  let text = '';
  await exportArchive(database, null, (chunk) => {
    text += chunk;
    return Promise.resolve();
  });
  return text;
}
