import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { runHelm } from '@/e2e/controlplane/helm';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { untilSettled } from '@/e2e/controlplane/seed';
import { READER_NAMESPACE } from '@/e2e/controlplane/users';
import { deploymentPath, IMAGE, shownAt } from '@/e2e/cluster/deployments';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { KubeObject } from '@/lib/kube/object';

const namespace = READER_NAMESPACE;
const hasAll = await needs('Upgrades by Helm', 'kubectl', 'simulatedPods');
let cluster: ControlPlane;
let shiplog: Shiplog;
let chart: string;

const TEMPLATE = `apiVersion: apps/v1
kind: Deployment
metadata: { name: "{{ .Release.Name }}" }
spec:
  replicas: 0
  selector: { matchLabels: { app: "{{ .Release.Name }}" } }
  template:
    metadata: { labels: { app: "{{ .Release.Name }}" } }
    spec: { containers: [{ name: web, image: "${IMAGE}:{{ .Values.tag }}" }] }
`;

beforeAll(async () => {
  if (!hasAll) return;
  chart = mkdtempSync(join(tmpdir(), 'shiplog-chart-'));
  mkdirSync(join(chart, 'templates'));
  writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
  writeFileSync(join(chart, 'templates', 'deployment.yaml'), TEMPLATE);
  cluster = await startControlPlane();
  // A person who may view and patch, and nothing else.
  shiplog = await startShiplog({ kubeconfig: cluster.kubeconfigs.patcher });
});
afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
  if (chart !== undefined) rmSync(chart, { recursive: true });
});

/** Installs or upgrades the release to this image. */
function ship(major: 3 | 4, name: string, tag: string, ...args: string[]) {
  const command = [
    'upgrade',
    '--install',
    name,
    chart,
    '--namespace',
    namespace,
    '--set-string',
    `tag=${tag}`,
  ];
  return runHelm([...command, ...args], { kubeconfig: cluster.kubeconfigs.admin, major });
}

/** A release with two revisions, rolled back to the first through Shiplog; returns what the preview said of applies. */
async function rolledBack(major: 3 | 4, name: string): Promise<string[]> {
  for (const tag of ['1.0', '2.0']) {
    expect(await ship(major, name, tag)).toMatchObject({ code: 0 });
    await untilSettled(cluster, 'Deployment', { namespace, name });
  }
  await until('both revisions are read', async () => {
    const { status, body } = await preview(name);
    return status === 200 && body.plan !== null;
  });
  const { body } = await preview(name);
  await act(name, 'rollback', { to: 1 });
  return body.findings.filter(({ code }: any) => code === 'apply_manager').map(({ message }: any) => message);
}

async function preview(name: string) {
  const answer = await shiplog.fetch(shownAt(namespace, name));
  const seen = answer.ok ? (await answer.json()).workload.seen : 'none';
  return shiplog.post(`${shownAt(namespace, name)}/rollback`, { to: 1, seen, reason: '', dryRun: true });
}

/** Executes the action and waits until it is done. */
async function act(name: string, action: 'rollback' | 'releaseFields', members: object = {}): Promise<void> {
  const path = shownAt(namespace, name);
  const { workload } = await shiplog.get(path);
  const request = { seen: workload.seen, reason: 'errors', dryRun: false, ...members };
  const { status, body } = await shiplog.post(`${path}/${action}`, request);
  expect(status, JSON.stringify(body)).toBe(200);
  await until(`${action} is done`, async () => {
    const { state } = await shiplog.get(`/api/actions/${body.result.actionId}`);
    return state === 'done';
  });
}

const offers = async (name: string) =>
  (await shiplog.get(shownAt(namespace, name))).workload.controls.map(({ action }: any) => action);

async function deployed(name: string) {
  const { metadata, spec } = await cluster.client().get<KubeObject>(deploymentPath(namespace, name));
  const { template } = spec as any;
  const managers = (metadata.managedFields ?? []).map(({ manager }) => manager);
  return { image: template.spec.containers[0].image, managers };
}

describe.runIf(hasAll)('after a rollback of a Helm release', () => {
  it('the next upgrade by Helm 4 fails with the predicted conflict, and overwrites once the fields are released', async () => {
    expect(await rolledBack(4, 'four')).toEqual([
      'helm applies image of container web without force. The next helm upgrade that sets another value fails: conflict with "shiplog".',
    ]);
    const { code, stderr } = await ship(4, 'four', '3.0');
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('conflict with "shiplog"'),
    });
    expect(stderr).toContain('.spec.template.spec.containers[name="web"].image');
    expect((await deployed('four')).image).toBe(`${IMAGE}:1.0`);

    await until('the release is offered', async () => (await offers('four')).includes('releaseFields'));
    await act('four', 'releaseFields');
    expect(await deployed('four')).toMatchObject({
      image: `${IMAGE}:1.0`,
      managers: expect.not.arrayContaining(['shiplog']),
    });
    expect(await ship(4, 'four', '3.0')).toMatchObject({ code: 0 });
    expect((await deployed('four')).image).toBe(`${IMAGE}:3.0`);
  });

  it('an upgrade by Helm 4 with --force-conflicts needs no release', async () => {
    await rolledBack(4, 'forced');
    expect(await ship(4, 'forced', '3.0', '--force-conflicts')).toMatchObject({ code: 0 });
    await until(
      'nothing is offered any more',
      async () => !(await offers('forced')).includes('releaseFields'),
    );
  });

  it('Helm 3 overwrites it: no warning, and nothing to release', async () => {
    expect(await rolledBack(3, 'three')).toEqual([]);
    expect(await offers('three')).not.toContain('releaseFields');
    expect(await ship(3, 'three', '3.0')).toMatchObject({ code: 0 });
    expect((await deployed('three')).image).toBe(`${IMAGE}:3.0`);
  });
});
