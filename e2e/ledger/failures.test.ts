import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDeployment, IMAGE, setImage, shownAt } from '@/e2e/cluster/deployments';
import { type ControlPlane, startControlPlane } from '@/e2e/controlplane/control-plane';
import { seedNamespace, settled } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import { openDatabaseLink } from '@/e2e/ledger/database-link';
import { untilRecorder } from '@/e2e/ledger/recorder-state';
import { type Shiplog, type ShiplogOptions, startShiplog } from '@/e2e/support/shiplog';
import { type RecordAnswer, type RecordList } from '@/lib/api/records';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { enginesUnderTest } from '@/server/archive/testing/engines';

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

async function roll(name: string, tag: string): Promise<void> {
  await setImage(cluster, NAMESPACE, name, `${IMAGE}:${tag}`);
  await settled(cluster, 'Deployment', { namespace: NAMESPACE, name });
}

async function create(name: string): Promise<void> {
  await createDeployment(cluster, NAMESPACE, name);
  await settled(cluster, 'Deployment', { namespace: NAMESPACE, name });
}

async function untilRecords(shiplog: Shiplog, name: string, wanted: string[]): Promise<RecordAnswer[]> {
  let items: RecordList['items'] = [];
  const told = () => items.map(({ to, outcome }) => `${to.number} ${outcome}`).sort();
  const ask = async () => {
    const path = `/api/records?namespace=${NAMESPACE}&name=${name}`;
    ({ items } = (await shiplog.get(path)) as RecordList);
    return JSON.stringify(told()) === JSON.stringify(wanted);
  };
  await waitFor(ask, { what: 'the records are there', timeoutMs: 40_000, detail: () => told().join(', ') });
  return Promise.all(items.map(async ({ id }) => (await shiplog.get(`/api/records/${id}`)) as RecordAnswer));
}

/** The fleet is served all the same, and says since when nothing is recorded. */
async function expectServed(shiplog: Shiplog, name: string, reason: RegExp): Promise<void> {
  const broken = await untilRecorder(shiplog, 'interrupted', 40_000);
  expect(broken.reason).toMatch(reason);
  expect(Date.parse(broken.since)).toBeLessThanOrEqual(Date.now());
  const detail = (await shiplog.get(shownAt(NAMESPACE, name))) as WorkloadDetail;
  expect(detail.workload.name).toBe(name);
  expect(shiplog.log()).toMatch(reason);
}

describe('a file', () => {
  test('that another process has locked is waited for, and gets what was seen meanwhile', async () => {
    const dataDir = makeFolder();
    const shiplog = await start({ dataDir });
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

  test('on a full disk is waited for, and gets what was seen meanwhile', async () => {
    const dataDir = makeFolder();
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', DISK, 'tmpfs', dataDir]).status !== 0) {
      if (process.env.CI === 'true') throw new Error('A disk that gets full takes the right to mount one.');
      process.stderr.write('\n*** The full disk is LEFT OUT: no right to mount one. ***\n\n');
      return;
    }
    closing.push(() => spawnSync('umount', ['-l', dataDir]));
    const shiplog = await start({ dataDir });
    await create('full');
    await untilRecords(shiplog, 'full', ['1 completed']);
    const filler = join(dataDir, 'filler');
    fill(filler);
    await expectServed(shiplog, 'full', /disk is full/);
    await roll('full', '2.0');
    rmSync(filler);
    await untilRecorder(shiplog, 'recording');
    const records = await untilRecords(shiplog, 'full', ['1 completed', '2 completed']);
    expect(records.flatMap(({ unwatched }) => unwatched)).toEqual([]);
  });
});

/** Writes until there is no room for one byte. */
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

describe.each(postgres)('a database', ({ makePlace }) => {
  test('that is out of reach, at the start or later, is told of, and gets what was seen meanwhile', async () => {
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

  test('that refuses Shiplog is told of', async () => {
    const place = await makePlace();
    closing.push(() => place.remove());
    const wrong = new URL(place.databaseUrl ?? '');
    wrong.pathname = '/nowhere';
    const shiplog = await start({ dataDir: makeFolder(), env: { DATABASE_URL: wrong.href } });
    await create('refused');
    await expectServed(shiplog, 'refused', /refuses Shiplog/);
    const answer = await shiplog.fetch('/api/records');
    expect([answer.status, await answer.text()]).toEqual([503, expect.stringMatching(/archive_unavailable/)]);
  });
});
