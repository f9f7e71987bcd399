import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createDeployment, IMAGE, setImage, shownAt } from '@/e2e/cluster/deployments';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import { recorderOf, untilRecorder } from '@/e2e/records/recorder-state';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { Action } from '@/lib/api/action';
import type { RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';

const NAMESPACE = 'replicas';
/** The lease lasts ten seconds, and is renewed every three. */
const TAKE_OVER_MS = 20_000;

const { engines, stop } = await enginesUnderTest();
let cluster: ControlPlane;
const started: Shiplog[] = [];
const folders: string[] = [];

beforeAll(async () => {
  cluster = await startControlPlane();
  await seedNamespace(cluster, NAMESPACE);
});

afterEach(async () => {
  for (const shiplog of started.splice(0)) {
    await shiplog.stop('SIGKILL');
  }
});

afterAll(async () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
  await cluster.stop();
  await stop();
});

async function replicaOf({ databaseUrl, dataDir }: TestDatabase): Promise<Shiplog> {
  const own = databaseUrl === undefined ? dataDir : mkdtempSync(join(tmpdir(), 'shiplog-replica-'));
  if (databaseUrl !== undefined) folders.push(own);
  const env: Record<string, string> = databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl };
  const shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, dataDir: own, env });
  started.push(shiplog);
  return shiplog;
}

async function recordsOf(shiplog: Shiplog, name: string): Promise<string[]> {
  const { items } = (await shiplog.get(`/api/records?namespace=${NAMESPACE}&name=${name}`)) as RecordList;
  return items.map(({ to, outcome }) => `${to.number} ${outcome}`).sort();
}

async function untilRecords(shiplog: Shiplog, name: string, expected: string[]): Promise<void> {
  let last: string[] = [];
  const ask = async () => {
    last = await recordsOf(shiplog, name);
    return JSON.stringify(last) === JSON.stringify(expected);
  };
  await waitFor(ask, { what: 'the records are there', detail: () => last.join(', ') });
}

async function untilEnded(shiplog: Shiplog, name: string, count: number): Promise<void> {
  const ask = async () => {
    const records = await recordsOf(shiplog, name);
    return records.length === count && !records.some((text) => text.endsWith('null'));
  };
  await waitFor(ask, { what: `${count} records have ended` });
}

async function roll(name: string, tag: string): Promise<void> {
  await setImage(cluster, NAMESPACE, name, `${IMAGE}:${tag}`);
  await untilSettled(cluster, 'Deployment', { namespace: NAMESPACE, name });
}

describe.each(engines)('two replicas on one $engine archive', ({ engine, createDatabase: makePlace }) => {
  test('one records, the other serves and stores reviews, and takes over after a kill', async () => {
    const place = await makePlace();
    const name = `${engine}-killed`;
    const first = await replicaOf(place);
    await untilRecorder(first, 'recording');
    await createDeployment(cluster, NAMESPACE, name);
    await untilSettled(cluster, 'Deployment', { namespace: NAMESPACE, name });
    const second = await replicaOf(place);
    await untilRecorder(second, 'standby');
    await untilRecords(second, name, ['1 completed']);

    await first.stop('SIGKILL');
    const killed = Date.now();
    await untilRecorder(second, 'recording', TAKE_OVER_MS);
    expect(Date.now() - killed).toBeLessThan(TAKE_OVER_MS);
    await roll(name, '2.0');
    await untilRecords(second, name, ['1 completed', '2 completed']);
    await second.stop();
    await place.remove();
  });

  test('an action through the one that does not record is shown by both, with its author', async () => {
    const place = await makePlace();
    const name = `${engine}-shared`;
    const first = await replicaOf(place);
    await untilRecorder(first, 'recording');
    const second = await replicaOf(place);
    await untilRecorder(second, 'standby');
    await createDeployment(cluster, NAMESPACE, name);
    await untilRecords(first, name, ['1 completed']);
    await roll(name, '2.0');
    await untilRecords(first, name, ['1 completed', '2 completed']);

    const path = shownAt(NAMESPACE, name);
    const { workload } = (await second.get(path)) as WorkloadDetail;
    const body = { to: 1, seen: workload.seen, reason: 'errors', dryRun: false };
    const answer = await second.post(`${path}/rollback`, body);
    const { actionId } = (answer.body as { result: { actionId: string } }).result;
    const stateOf = async (shiplog: Shiplog) =>
      ((await shiplog.get(`/api/actions/${actionId}`)) as Action).state;
    for (const shiplog of [first, second]) {
      await waitFor(async () => (await stateOf(shiplog)) === 'done', {
        what: 'its end is shown',
        timeoutMs: 30_000,
      });
      const { items } = (await shiplog.get(`${path}/actions`)) as { items: Action[] };
      expect(items.map(({ id, actor }) => [id, actor])).toEqual([[actionId, 'admin']]);
    }
    const records = `/api/records?namespace=${NAMESPACE}&name=${name}&limit=1`;
    await waitFor(async () => ((await first.get(records)) as RecordList).items[0]?.to.number === 3, {
      what: 'the rollback is recorded',
      timeoutMs: 30_000,
    });
    const [record] = ((await first.get(records)) as RecordList).items;
    expect(record?.actor).toMatchObject({ name: 'admin', source: 'shiplog' });
    await place.remove();
  });

  test('one that was frozen and resumes does not write any more', async () => {
    const place = await makePlace();
    const name = `${engine}-stalled`;
    const first = await replicaOf(place);
    await untilRecorder(first, 'recording');
    const second = await replicaOf(place);
    await createDeployment(cluster, NAMESPACE, name);
    await untilSettled(cluster, 'Deployment', { namespace: NAMESPACE, name });
    await untilRecords(second, name, ['1 completed']);

    // It has just observed the start of a rollout, and has not written all of it yet.
    await setImage(cluster, NAMESPACE, name, `${IMAGE}:2.0`);
    process.kill(first.pid, 'SIGSTOP');
    await untilRecorder(second, 'recording', TAKE_OVER_MS);
    await roll(name, '3.0');
    await untilEnded(second, name, 3);
    // The end of the second was not observed, unless it was earlier.
    const records = await recordsOf(second, name);
    process.kill(first.pid, 'SIGCONT');
    await untilRecorder(first, 'standby');
    expect((await recorderOf(second)).state).toBe('recording');
    await roll(name, '4.0');
    await untilRecords(second, name, [...records, '4 completed']);
    expect(records.map((text) => text.split(' ')[0])).toEqual(['1', '2', '3']);
    expect(await recordsOf(first, name)).toEqual(await recordsOf(second, name));
    await place.remove();
  });
});
