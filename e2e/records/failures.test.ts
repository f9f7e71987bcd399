import { spawnSync } from 'node:child_process';
import {
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDeployment, IMAGE, setImage, shownAt } from '@/e2e/cluster/deployments';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import { openDatabaseLink } from '@/e2e/records/database-link';
import { untilRecorder } from '@/e2e/records/recorder-state';
import { type Shiplog, type ShiplogOptions, startShiplog } from '@/e2e/support/shiplog';
import type { RecordAnswer, RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { openPostgres } from '@/server/archive/postgres';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';

const NAMESPACE = 'failures';
const DISK = 'size=6m';

const { engines, stop } = await enginesUnderTest();
const postgres = engines.filter(({ engine }) => engine === 'postgres');
const closing: (() => unknown)[] = [];
let cluster: ControlPlane;

beforeAll(async () => {
  cluster = await startControlPlane();
  await seedNamespace(cluster, NAMESPACE);
});

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

afterAll(async () => {
  await cluster.stop();
  await stop();
});

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'shiplog-failures-'));
  closing.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function start(options: Omit<ShiplogOptions, 'kubeconfig'>): Promise<Shiplog> {
  const shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, ...options });
  closing.push(() => shiplog.stop('SIGKILL'));
  return shiplog;
}

/** Returns when the recorder observes changes as they happen. */
async function startRecording(options: Omit<ShiplogOptions, 'kubeconfig'>): Promise<Shiplog> {
  const shiplog = await start(options);
  await untilRecorder(shiplog, 'recording');
  return shiplog;
}

async function roll(name: string, tag: string): Promise<void> {
  await setImage(cluster, NAMESPACE, name, `${IMAGE}:${tag}`);
  await untilSettled(cluster, 'Deployment', { namespace: NAMESPACE, name });
}

async function create(name: string): Promise<void> {
  await createDeployment(cluster, NAMESPACE, name);
  await untilSettled(cluster, 'Deployment', { namespace: NAMESPACE, name });
}

async function untilRecords(shiplog: Shiplog, name: string, expected: string[]): Promise<RecordAnswer[]> {
  let items: RecordList['items'] = [];
  const outcomes = () => items.map(({ to, outcome }) => `${to.number} ${outcome}`).sort();
  const ask = async () => {
    const path = `/api/records?namespace=${NAMESPACE}&name=${name}`;
    ({ items } = (await shiplog.get(path)) as RecordList);
    return JSON.stringify(outcomes()) === JSON.stringify(expected);
  };
  await waitFor(ask, { what: 'the records are there', detail: () => outcomes().join(', ') });
  return Promise.all(items.map(async ({ id }) => (await shiplog.get(`/api/records/${id}`)) as RecordAnswer));
}

/** The fleet is served all the same, and the page says since when nothing is recorded. */
async function expectServed(shiplog: Shiplog, name: string, reason: RegExp): Promise<void> {
  const broken = await untilRecorder(shiplog, 'interrupted', 40_000);
  expect(broken.reason).toMatch(reason);
  expect(Date.parse(broken.since)).toBeLessThanOrEqual(Date.now());
  const detail = (await shiplog.get(shownAt(NAMESPACE, name))) as WorkloadDetail;
  expect(detail.workload.name).toBe(name);
  expect(shiplog.log()).toMatch(reason);
}

interface RollbackAnswer {
  applied?: boolean;
  result?: { actionId: string };
  error?: { message: string };
}

/** Sends a rollback to the first revision, as it is on the page. */
async function rollBack(shiplog: Shiplog, name: string) {
  const { workload } = (await shiplog.get(shownAt(NAMESPACE, name))) as WorkloadDetail;
  const request = { to: 1, seen: workload.seen, reason: 'errors', dryRun: false };
  const path = `${shownAt(NAMESPACE, name)}/rollback`;
  const answer: { status: number; body: unknown } = await shiplog.post(path, request);
  return { status: answer.status, body: answer.body as RollbackAnswer };
}

/** What the probes of the chart request. */
async function probes(shiplog: Shiplog): Promise<number[]> {
  const answers = await Promise.all(['/api/healthz', '/api/readyz'].map((path) => shiplog.fetch(path)));
  return answers.map(({ status }) => status);
}

describe('a file', () => {
  test('that another process has locked is waited for, and then has what was observed meanwhile', async () => {
    const dataDir = makeFolder();
    const shiplog = await startRecording({ dataDir });
    await create('locked');
    await untilRecords(shiplog, 'locked', ['1 completed']);
    const other = new DatabaseSync(join(dataDir, 'archive.db'));
    closing.push(() => other.close());
    other.exec('begin immediate');
    await expectServed(shiplog, 'locked', /another process/);
    await roll('locked', '2.0');
    other.exec('rollback');
    await untilRecorder(shiplog, 'recording');
    const records = await untilRecords(shiplog, 'locked', ['1 completed', '2 completed']);
    expect(records.flatMap(({ unwatched }) => unwatched)).toEqual([]);
  });

  test('on a full disk is waited for, and then has what was observed meanwhile', async () => {
    const dataDir = makeFolder();
    if (!mount(['-t', 'tmpfs', '-o', DISK, 'tmpfs', dataDir], dataDir)) return;
    const shiplog = await startRecording({ dataDir });
    await create('full');
    await untilRecords(shiplog, 'full', ['1 completed']);
    const filler = join(dataDir, 'filler');
    fill(filler);
    await expectServed(shiplog, 'full', /disk is full/);
    await roll('full', '2.0');
    expect(await probes(shiplog)).toEqual([200, 200]);
    // An action without an audit line is not sent.
    const refused = await rollBack(shiplog, 'full');
    expect(refused.status).toBe(500);
    expect(refused.body.error?.message).toMatch(/^Nothing was changed: .*audit file/);
    rmSync(filler);
    await untilRecorder(shiplog, 'recording');
    const records = await untilRecords(shiplog, 'full', ['1 completed', '2 completed']);
    expect(records.flatMap(({ unwatched }) => unwatched)).toEqual([]);
  });

  test('that was emptied is reported, and a new one begins once it is moved away', async () => {
    const dataDir = makeFolder();
    const before = await start({ dataDir });
    await create('emptied');
    await untilRecords(before, 'emptied', ['1 completed']);
    await before.stop();
    const file = join(dataDir, 'archive.db');
    truncateSync(file);
    const shiplog = await start({ dataDir });
    await expectServed(shiplog, 'emptied', /empty or missing.*Restore a backup/);
    expect(statSync(file).size).toBe(0);
    rmSync(file);
    await untilRecorder(shiplog, 'recording');
  });

  test('that is read-only is waited for, and then has what the cluster still has', async () => {
    const dataDir = makeFolder();
    const before = await start({ dataDir });
    await create('readonly');
    await untilRecords(before, 'readonly', ['1 completed']);
    await before.stop();
    const file = join(dataDir, 'archive.db');
    if (!mount(['--bind', file, file], file)) return;
    expect(spawnSync('mount', ['-o', 'remount,bind,ro', file]).status).toBe(0);
    const shiplog = await start({ dataDir });
    await expectServed(shiplog, 'readonly', /read-only/);
    const answer = await shiplog.fetch('/api/records');
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringMatching(/read-only/)]);
    await roll('readonly', '2.0');
    expect(spawnSync('umount', [file]).status).toBe(0);
    await untilRecorder(shiplog, 'recording');
    await untilRecords(shiplog, 'readonly', ['1 completed', '2 completed']);
  });
});

/** False, with a message, where that is not possible; file permissions do not stop root. */
function mount(way: string[], at: string): boolean {
  if (spawnSync('mount', way).status !== 0) {
    if (process.env.CI === 'true') throw new Error('A disk that fails takes the right to mount one.');
    process.stderr.write('\n*** A disk that fails is LEFT OUT: no right to mount one. ***\n\n');
    return false;
  }
  closing.push(() => spawnSync('umount', ['-l', at]));
  return true;
}

function nameOf({ databaseUrl = '' }: TestDatabase): string {
  return new URL(databaseUrl).pathname.slice(1);
}

/** Writes until the disk has no byte left. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  try {
    for (let size = 1 << 16; size >= 1;) {
      try {
        writeSync(file, Buffer.alloc(size));
      } catch {
        size = Math.floor(size / 2);
      }
    }
  } finally {
    closeSync(file);
  }
}

describe.each(postgres)('a database', ({ createDatabase: makePlace }) => {
  test('that is unreachable, at the start or later, is reported, and then has what was observed meanwhile', async () => {
    const place = await makePlace();
    closing.push(() => place.remove());
    const link = await openDatabaseLink(place.databaseUrl ?? '', false);
    closing.push(() => link.close());
    const shiplog = await start({ dataDir: makeFolder(), env: { DATABASE_URL: link.url } });
    await create('lost');
    await expectServed(shiplog, 'lost', /does not answer/);
    link.restore();
    await untilRecords(shiplog, 'lost', ['1 completed']);
    link.cut();
    await expectServed(shiplog, 'lost', /does not answer/);
    await roll('lost', '2.0');
    link.restore();
    await untilRecorder(shiplog, 'recording');
    const records = await untilRecords(shiplog, 'lost', ['1 completed', '2 completed']);
    const latest = records.find(({ to }) => to.number === 2);
    expect(latest?.unwatched).toEqual([]);
  });

  test('that is unreachable takes neither readiness nor the rollback away, and has it once it answers', async () => {
    const place = await makePlace();
    closing.push(() => place.remove());
    const link = await openDatabaseLink(place.databaseUrl ?? '', true);
    closing.push(() => link.close());
    const dataDir = makeFolder();
    const shiplog = await startRecording({ dataDir, env: { DATABASE_URL: link.url } });
    await create('urgent');
    // What nothing has seen complete is superseded by the next.
    await untilRecords(shiplog, 'urgent', ['1 completed']);
    await roll('urgent', '2.0');
    await untilRecords(shiplog, 'urgent', ['1 completed', '2 completed']);
    link.cut();
    await expectServed(shiplog, 'urgent', /does not answer/);
    expect(await probes(shiplog)).toEqual([200, 200]);
    const { status, body } = await rollBack(shiplog, 'urgent');
    expect([status, body.applied]).toEqual([200, true]);
    expect(readFileSync(join(dataDir, 'audit.jsonl'), 'utf8')).toContain('"event":"accepted"');
    const id = body.result?.actionId;
    expect(id).toBeTypeOf('string');
    const actions = async () => {
      const answer = await shiplog.fetch('/api/activity');
      return answer.ok ? ((await answer.json()) as { items: { id: string; state: string }[] }).items : [];
    };
    link.restore();
    await waitFor(async () => (await actions()).some((each) => each.id === id && each.state === 'done'), {
      what: 'the archive has the action',
    });
  });

  test('that has become read-only is reported, and then has what was observed meanwhile', async () => {
    const place = await makePlace();
    closing.push(() => place.remove());
    const database = openPostgres(place.databaseUrl ?? '');
    closing.push(() => database.db.destroy());
    const become = async (way: 'on' | 'off') => {
      await sql`begin; set transaction read write;
        alter database ${sql.id(nameOf(place))} set default_transaction_read_only = ${sql.lit(way)}; commit`.execute(
        database.db,
      );
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and pid <> pg_backend_pid()`.execute(database.db);
    };
    const shiplog = await startRecording({
      dataDir: makeFolder(),
      env: { DATABASE_URL: place.databaseUrl ?? '' },
    });
    await create('standby');
    await untilRecords(shiplog, 'standby', ['1 completed']);
    await become('on');
    await expectServed(shiplog, 'standby', /read-only/);
    // Its content is still readable.
    await untilRecords(shiplog, 'standby', ['1 completed']);
    await roll('standby', '2.0');
    await become('off');
    await untilRecorder(shiplog, 'recording');
    const records = await untilRecords(shiplog, 'standby', ['1 completed', '2 completed']);
    expect(records.flatMap(({ unwatched }) => unwatched)).toEqual([]);
  });

  test('that refuses Shiplog is reported', async () => {
    const place = await makePlace();
    closing.push(() => place.remove());
    const wrong = new URL(place.databaseUrl ?? '');
    wrong.pathname = '/nowhere';
    const shiplog = await start({ dataDir: makeFolder(), env: { DATABASE_URL: wrong.href } });
    await create('refused');
    await expectServed(shiplog, 'refused', /database rejected the connection/);
    const answer = await shiplog.fetch('/api/records');
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringMatching(/archive_unavailable/)]);
  });
});
