import { spawn } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { containerOf, type RenderedObject, objectsIn } from '@/e2e/chart/rendered';
import { readValues } from '@/e2e/chart/value-files';
import { apply } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { renderChart } from '@/e2e/controlplane/helm';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { createDeployment } from '@/e2e/cluster/deployments';
import { ofProxy, signedInAs } from '@/e2e/support/proxy-sign-in';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';

const account = 'nobody';
const ana = signedInAs('ana', 'dev');
const cart = '/api/workloads/deployments.apps/shop/cart';
const isOwnCluster = await needs('The chart in namespaces', 'simulatedPods');
let cluster: ControlPlane;
let shiplog: Shiplog;
let objects: RenderedObject[];

/** The variables of the pod, except where it listens and writes. */
function variables(): Record<string, string> {
  const deployment = objects.find(({ kind }) => kind === 'Deployment') as RenderedObject;
  const all = (containerOf(deployment).env ?? []).flatMap(({ name, value }) =>
    value === undefined || /^(PORT|SHIPLOG_HOST|SHIPLOG_DATA_DIR)$/.test(name) ? [] : [[name, value]],
  );
  return Object.fromEntries(all) as Record<string, string>;
}

beforeAll(async () => {
  if (!isOwnCluster) return;
  cluster = await startControlPlane();
  objects = objectsIn(await renderChart({ ...readValues('namespaces'), ingress: { enabled: false } }));
  await apply(cluster, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'payments' } }]);
  for (const namespace of ['shop', 'payments', 'default']) await createDeployment(cluster, namespace, 'cart');
  const ofRbac = objects.filter(({ apiVersion }) => apiVersion === 'rbac.authorization.k8s.io/v1');
  const user = { apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: account };
  const rbac = ofRbac.map((object) => ('subjects' in object ? { ...object, subjects: [user] } : object));
  await apply(cluster, rbac);
  for (const [name, role] of [
    ['see', 'clusterrole=test-view-namespaced'],
    ['act', 'role=shiplog-read-write'],
  ]) {
    const args = ['create', 'rolebinding', `dev-${name}`, '-n', 'shop', `--${role}`, '--group=dev'];
    expect((await cluster.kubectl(args)).stderr).toBe('');
  }
  shiplog = await startShiplog({
    kubeconfig: cluster.kubeconfigs[account],
    // How people sign in is as the chart has it.
    env: { ...variables(), ...ofProxy },
  });
});
afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

describe.runIf(isOwnCluster)('with the Roles of two namespaces and no right elsewhere', () => {
  it('a person sees what their role shows in one of them', async () => {
    const answer = await fetch(`${shiplog.url}/api/workloads`, { headers: ana });
    const { items } = (await answer.json()) as { items: { namespace: string }[] };
    expect(items.map(({ namespace }) => namespace)).toEqual(['shop']);
  });

  it('and acts there with the role for people that the chart renders', async () => {
    const { workload } = (await (await fetch(shiplog.url + cart, { headers: ana })).json()) as {
      workload: { seen: string };
    };
    const answer = await fetch(`${shiplog.url}${cart}/restart`, {
      method: 'POST',
      headers: { ...ana, 'content-type': 'application/json' },
      body: JSON.stringify({ seen: workload.seen, reason: 'to see whether it works' }),
    });
    expect(answer.status, await answer.text()).toBe(200);
  });

  it('the account itself can read nothing elsewhere, and change nothing', async () => {
    const can = async (...args: string[]) =>
      (await cluster.kubectl(['auth', 'can-i', ...args], { user: account })).stdout.trim();
    expect(await can('list', 'deployments.apps', '-n', 'shop')).toBe('yes');
    expect(await can('list', 'deployments.apps', '-n', 'default')).toBe('no');
    expect(await can('patch', 'deployments.apps', '-n', 'shop')).toBe('no');
    expect(await can('get', 'secrets', '-n', 'shop')).toBe('no');
  });

  it('the pod of `helm test` ends with 0 once Shiplog is ready', async () => {
    const pod = objects.find(({ kind }) => kind === 'Pod') as RenderedObject;
    const { command, args } = containerOf(pod);
    expect(command).toEqual(['node', '-e']);
    const child = spawn(process.execPath, ['-e', args?.[0] ?? '', `${shiplog.url}/api/readyz`]);
    const code = await new Promise((resolve) => child.once('exit', resolve));
    expect(code).toBe(0);
  });
});
