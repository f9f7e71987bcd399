import { expect, onTestFinished, test, vi } from 'vitest';
import { controlRequestSchema, rollbackRequestSchema } from '@/lib/api/actions';
import type { KubeObject } from '@/lib/kube/object';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { startQuietSandbox } from '@/sandbox/sandbox';
import { seedHistory, sendWrite } from '@/sandbox/seed-history';
import { OPS } from '@/sandbox/seed/fleet/platform';
import { type SeedWrite, seedWritesOf } from '@/sandbox/seed/seed-writes';
import { helm4, ship, workloadsIn } from '@/sandbox/seed/story';
import type { SeedObject } from '@/sandbox/seed/workload';
import { createActions } from '@/server/actions/service';
import { Audit } from '@/server/audit/audit';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';

const ref = { resource: 'deployments.apps', namespace: 'ops', name: 'grafana' };
const path = '/apis/apps/v1/namespaces/ops/deployments/grafana';
const release = OPS.filter(({ app }) => app.name === ref.name);
/** With a namespace that objects of the whole sandbox are in. */
const fleet = [
  ...release,
  workloadsIn('shop')('Deployment', 'cart', {}, [ship('20d', helm4, null, '1.0.0')]),
];
const soon = (check: () => unknown) => vi.waitFor(check, { timeout: 30_000, interval: 50 });

/** The sandbox with this release alone, and Shiplog. */
async function open() {
  const folder = makeFolder();
  const end = Date.now();
  await seedHistory({ dataDir: folder.path, end, fleet });
  const sandbox = await startQuietSandbox({ dataDir: folder.path });
  const { people } = sandbox;
  const cluster = new LiveCluster({
    credentials: loadCredentials({ kind: 'kubeconfig', files: [sandbox.kubeconfigPath] }),
    ...{ readOnly: false, namespaces: [], kinds: workloadKinds, log: silentLogger },
  });
  const keys = new Keys(Buffer.alloc(32, 7));
  const audit = Audit.open(folder.path);
  const actions = createActions({ cluster, keys, audit, archive: () => null, log: silentLogger });
  onTestFinished(async () => {
    actions.stop();
    await cluster.stop();
    await sandbox.stop();
    audit.close();
    folder.remove();
  });
  cluster.start();
  await soon(() => expect(cluster.ready).toBe(true));
  const seen = () => {
    const { uid = '', bodyId = '' } = cluster.cache.workload(ref.resource, ref.namespace, ref.name) ?? {};
    return keys.preconditionToken(cluster.identity.id, uid, bodyId);
  };
  const rollback = (members: object) =>
    actions.rollback(cluster.self, ref, rollbackRequestSchema.parse({ to: 2, seen: seen(), ...members }));
  const releaseFields = () =>
    actions.releaseFields(cluster.self, ref, controlRequestSchema.parse({ seen: seen() }));
  const done = (actionId = '') =>
    soon(async () => expect(await actions.get(cluster.self, actionId)).toMatchObject({ state: 'done' }));
  const managers = async () => {
    const { metadata } = (await people.json({ method: 'GET', path })) as unknown as KubeObject;
    return metadata.managedFields?.map(({ manager, operation }) => `${manager} ${operation}`);
  };
  return { people, end, rollback, releaseFields, done, managers };
}

/** Another upgrade, of a later version. */
function upgrade(end: number): SeedWrite {
  const [latest] = release.flatMap((seed) => seedWritesOf(seed, end)).slice(-1);
  if (latest?.do !== 'apply') throw new Error('Helm 4 applies');
  const text = JSON.stringify(latest.object).replace('grafana:12.2.0', 'grafana:12.3.0');
  return { ...latest, object: JSON.parse(text) as SeedObject };
}

test('in the sandbox, a rollback of a release by Helm 4 blocks the next upgrade until its fields are released', async () => {
  const { people, end, rollback, releaseFields, done, managers } = await open();
  expect(await managers()).toContain(`${helm4.manager} Apply`);
  const { findings } = await rollback({ dryRun: true });
  expect(findings.filter(({ code }) => code === 'apply_manager').map(({ message }) => message)).toEqual([
    expect.stringMatching(
      /^helm applies .*image of container grafana.* without force\. .*: conflict with "shiplog"\.$/,
    ),
  ]);
  await done((await rollback({})).result?.actionId);
  await expect(sendWrite(people, upgrade(end))).rejects.toThrow('conflicts with "shiplog" using apps/v1:');
  await done((await releaseFields()).result?.actionId);
  expect(await managers()).not.toContain('shiplog Update');
  await sendWrite(people, upgrade(end));
}, 90_000);
