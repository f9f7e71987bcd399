import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { waitFor } from '@/e2e/controlplane/wait';
import {
  annotate,
  createDeployment,
  deploymentPath,
  NAMESPACE,
  namesOf,
  removeDeployment,
  setImage,
  shownAt,
} from '@/e2e/sandbox/deployments';
import { type FaultySandbox, startFaultySandbox } from '@/e2e/support/faulty-sandbox';
import { untilSameState } from '@/e2e/support/until-same-state';
import type { Shiplog } from '@/e2e/support/shiplog';
import type { ClusterInfo } from '@/lib/api/cluster';
import type { WorkloadDetail, WorkloadList } from '@/lib/api/workloads';
import type { StoredObject } from '@/sandbox/api/objects/stored-object';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const DEPLOYMENTS = { resources: ['deployments.apps'] };
const CAUSE = 'kubernetes.io/change-cause';
const REPLICA_SET_PATH = `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`;
const REPLICA_SETS = { resources: ['replicasets.apps'] };

let sandbox: FaultySandbox;
let shiplog: Shiplog;

beforeAll(async () => {
  sandbox = await startFaultySandbox();
  await createDeployment(sandbox.client, 'web', 'web:1');
  await createDeployment(sandbox.client, 'api', 'api:1');
});
afterAll(() => sandbox?.close());
/** One process for each test, because the backoff depends on earlier failures. */
beforeEach(async () => {
  shiplog = await sandbox.startShiplog();
  await asActual();
});
afterEach(async () => {
  await sandbox.faults.clear();
  await shiplog.stop();
  await removeAllBut('web', 'api');
});

it.each(['end', 'reset'] as const)('loses nothing when every watch is cut (%s)', async (how) => {
  const { faults } = sandbox;
  await faults.cutWatches(how);
  await changeEverything(how);
  await asActual();
});

it.each([
  ['a refusal', 500, /Internal error occurred/],
  ['being overloaded', 503, /unable to handle the request/],
] as const)(
  'reports everything as stale while no watch opens for %s, and catches up',
  async (_, code, words) => {
    const refused = await sandbox.faults.refuseWatches(code);
    await sandbox.faults.cutWatches('reset');
    await untilStale(words);
    await changeEverything(`refused-${code}`);
    await refused.end();
    await asActual();
  },
);

it('says which resource is behind while the others are followed', async () => {
  const refused = await sandbox.faults.fail(500, REPLICA_SETS);
  await sandbox.faults.cutWatches('reset', REPLICA_SETS);
  await setImage(sandbox.client, 'web', 'web:behind');
  const { reason, asOf } = await waitFor(
    async () => (await detailOf('web')).partial.find(({ resource }) => resource === 'replicasets.apps'),
    { what: 'the ReplicaSets are said to be behind' },
  );
  expect(reason).toMatch(/Internal error occurred/);
  expect(Date.parse(asOf ?? '')).toBeLessThan(Date.now());
  expect((await detailOf('api')).stale).toBe(false);
  await refused.end();
  await asActual();
});

it('lists again when the version that a watch would resume from is compacted', async () => {
  const { faults } = sandbox;
  const refused = await faults.refuseWatches();
  await faults.cutWatches();
  await changeEverything('forgotten');
  await faults.forgetHistory();
  await refused.end();
  await asActual();
});

it('lists again as often as a watch answers 410, and without pages when pages do', async () => {
  const { faults } = sandbox;
  const inStream = await faults.expire({ verbs: ['watch'], ...DEPLOYMENTS }, { times: 2 });
  const onPage = await faults.expire({ verbs: ['list'], ...DEPLOYMENTS }, { times: 2 });
  await faults.cutWatches();
  await changeEverything('expired');
  await asActual();
  expect([await inStream.hits(), await onPage.hits()]).toEqual([2, 2]);
});

it('waits as long as Retry-After says, reports it meanwhile, and resumes', async () => {
  const { faults } = sandbox;
  const busy = await faults.askToWait(4);
  await faults.cutWatches();
  await untilStale(/too many requests/);
  await changeEverything('busy');
  await busy.end();
  await asActual();
});

it('answers at once while the API server takes seconds', async () => {
  const { faults } = sandbox;
  const slow = await faults.slowDown(1_500);
  await faults.cutWatches();
  expect((await detailOf('web')).workload.name).toBe('web');
  await changeEverything('slow');
  await asActual();
  await slow.end();
});

it('notices a missing event when it compares', async () => {
  const { client, faults } = sandbox;
  await shiplog.stop();
  shiplog = await sandbox.startShiplog({ env: { SHIPLOG_COMPARE_SECONDS: '1' } });
  const lost = await faults.loseEvent(DEPLOYMENTS);
  await annotate(client, 'web', 'lost');
  await waitFor(async () => (await lost.hits()) === 1, { what: 'the event is lost' });
  // Until the API server sends something later, both have the version before it.
  await annotate(client, 'api', 'told');
  await asActual();
});

it('treats an event that arrives twice as one', async () => {
  const { faults } = sandbox;
  const twice = await faults.duplicateEvent({}, { times: 20 });
  await changeEverything('twice');
  await asActual();
  expect(await twice.hits()).toBeGreaterThan(3);
});

it.each(['web', 'api'])('notices events in the wrong order (of web, then %s)', async (later) => {
  const { client, faults } = sandbox;
  const swapped = await faults.reorderEvents(DEPLOYMENTS);
  await annotate(client, 'web', `earlier-than-${later}`);
  await annotate(client, later, 'later');
  await asActual();
  expect(await swapped.hits()).toBe(1);
});

it('discards half an answer, and half an event', async () => {
  const { faults } = sandbox;
  const half = await faults.truncate(300, { ...DEPLOYMENTS, verbs: ['watch', 'list'] }, { times: 2 });
  await faults.cutWatches('end', DEPLOYMENTS);
  await changeEverything('half');
  await waitFor(async () => (await half.hits()) >= 2, { what: 'answers break off' });
  await asActual();
});

it('reports that its token has expired, and uses the new one from the kubeconfig', async () => {
  const { faults } = sandbox;
  await faults.expireToken();
  await faults.cutWatches();
  await untilStale(/credentials/);
  await changeEverything('expired-token');
  sandbox.writeKubeconfig(await faults.issueToken());
  await asActual();
});

it('accepts objects of absurd size, and still answers', async () => {
  const { client, faults } = sandbox;
  const env = Array.from({ length: 1_500 }, (_, index) => ({ name: `V${index}`, value: 'v'.repeat(600) }));
  await createDeployment(client, 'huge', 'huge:1', { env });
  await setImage(client, 'huge', 'huge:2');
  const { revisions } = await waitFor(
    async () => {
      const answer = await detailOf('huge');
      return answer.revisions.length === 2 && answer;
    },
    { what: 'its revisions are shown' },
  );
  const [newer, older] = revisions.map(({ id }) => id);
  const diff = await shiplog.fetch(`${shownAt('huge')}/diff?from=${older}&to=${newer}`);
  expect(await diff.text()).toContain('huge:2');
  const text = 'x'.repeat(1024 * 1024);
  const huge = await client.get<StoredObject>(deploymentPath('huge'));
  await faults.put('deployments.apps', annotated(huge, { 'example.com/manifest': text }));
  const set = await client.get<StoredObject>(`${REPLICA_SET_PATH}/${revisions[0]?.name ?? ''}`);
  await faults.put('replicasets.apps', annotated(set, { [CAUSE]: text }));
  await asActual();
  for (const path of ['/api/workloads', shownAt('huge')]) {
    const answer = await (await shiplog.fetch(path)).text();
    expect(answer.length, path).toBeLessThan(200_000);
  }
});

it('treats hostile names and values as text', async () => {
  const { client, faults } = sandbox;
  const cause = '<b onclick="alert(1)">\u0000\u001b[31m\u202egnol</b>';
  await createDeployment(client, 'evil', 'evil:1', { env: [{ name: '<i>', value: cause }] });
  const evil = await client.get<StoredObject>(deploymentPath('evil'));
  await faults.put('deployments.apps', annotated(evil, { [CAUSE]: cause }));
  await asActual();

  const name = '"><img src=x onerror=alert(1)>\u202e\u0007';
  await faults.put('deployments.apps', { ...evil, metadata: { ...evil.metadata, name, uid: 'uid-of-evil' } });
  await waitFor(
    async () => {
      const { items } = (await shiplog.get('/api/workloads')) as WorkloadList;
      return items.some((item) => item.name === name);
    },
    { what: 'it is listed under its very name' },
  );
  expect((await shiplog.fetch(shownAt(name))).status).toBe(400);
  await removeDeployment(client, name);
  await asActual();
});

it('withstands a thousand changes a second, and is correct at once when they end', async () => {
  const { faults } = sandbox;
  await faults.churn('deployments.apps', NAMESPACE, 1_000, 3_000);
  while ((await faults.state()).changesToCome > 0) {
    expect((await detailOf('web')).stale).toBe(false);
  }
  await asActual();
});

it.each([-3_600_000, 3_600_000])('is not confused by a clock that is %d ms ahead', async (ms) => {
  await sandbox.skewClock(ms);
  await changeEverything(`skewed${ms}`);
  await asActual();
  await waitFor(async () => (await detailOf('web')).workload.state === 'complete', {
    what: 'the rollout is called complete',
  });
});

function annotated(object: StoredObject, annotations: Record<string, string>): StoredObject {
  const { metadata } = object;
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } } };
}

async function detailOf(name: string): Promise<WorkloadDetail> {
  return (await shiplog.get(shownAt(name))) as WorkloadDetail;
}

function asActual(): Promise<void> {
  return untilSameState(shiplog, sandbox.client, NAMESPACE);
}

/** A change, a creation and a deletion. */
async function changeEverything(tag: string): Promise<void> {
  const { client } = sandbox;
  await setImage(client, 'web', `web:${tag}`);
  await createDeployment(client, `new-${tag}`, `new:${tag}`);
  await removeAllBut('web', 'api', `new-${tag}`);
}

async function removeAllBut(...kept: string[]): Promise<void> {
  for (const name of await namesOf(sandbox.client))
    if (!kept.includes(name)) await removeDeployment(sandbox.client, name);
}

/** Everything that was read is still there, marked as stale with the reason. */
async function untilStale(words: RegExp): Promise<void> {
  await waitFor(
    async () => {
      const { connection } = (await shiplog.get('/api/cluster')) as ClusterInfo;
      const { stale } = await detailOf('web');
      return stale && connection.state === 'unreachable' && words.test(connection.message ?? '');
    },
    { what: 'the answers are called stale, and why' },
  );
  expect((await detailOf('web')).revisions).not.toEqual([]);
}
