import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRestricted } from '@/e2e/chart/restricted';
import { needs } from '@/e2e/cluster/needs';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import { chartPath, runHelm } from '@/e2e/controlplane/helm';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';

const namespace = 'shiplog';
const isOwnCluster = await needs('A release of the chart', 'simulatedPods');
let cluster: ControlPlane;

beforeAll(async () => {
  if (!isOwnCluster) return;
  cluster = await startControlPlane();
  await createRestricted(cluster, namespace);
  // No provisioner runs: the claim is bound to this volume.
  await cluster.client().create('/api/v1/persistentvolumes', {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: 'archive' },
    spec: {
      capacity: { storage: '10Gi' },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path: '/var/lib/archive' },
    },
  });
});
afterAll(() => cluster?.stop());

/**
 * What Helm itself reports: that the claim, which an uninstallation keeps, is there already; and that it
 * ended a watch of its own, once it had what it waited for.
 */
const HELM_ITSELF =
  /^(level=WARN msg="resource exists on cluster but not in original release.*kind=PersistentVolumeClaim|[EIW]\d{4} .*"(Warning: watch ended with error|Unexpected error when reading response body)".*context canceled.*)\n/gm;

/** Any warning of the API server fails the test. */
async function helm(...args: string[]): Promise<string> {
  const options = { kubeconfig: cluster.kubeconfigs.admin };
  const { code, stdout, stderr } = await runHelm([...args, '--namespace', namespace], options);
  const unexpected = stderr.replace(HELM_ITSELF, '');
  expect({ code, unexpected }, `${unexpected}\n${stdout}`).toEqual({ code: 0, unexpected: '' });
  return stdout;
}

async function deployed(path: string): Promise<string> {
  const args = ['-n', namespace, 'get', 'deployment', 'shiplog', '-o', `jsonpath=${path}`];
  return (await cluster.kubectl(args)).stdout;
}

const image = '{.spec.template.spec.containers[0].image}';

it.runIf(isOwnCluster)('a template that breaks Pod Security would be noticed', async () => {
  const weak = ['--set', 'securityContext.allowPrivilegeEscalation=true,persistence.enabled=false'];
  const { stderr } = await runHelm(['install', 'weak', chartPath, '--namespace', namespace, ...weak], {
    kubeconfig: cluster.kubeconfigs.admin,
  });
  expect(stderr).toContain('would violate PodSecurity');
  await helm('uninstall', 'weak');
});

describe.runIf(isOwnCluster)('a release of the chart', () => {
  it('installs with its defaults, and is complete once the pod is ready and holds its volume', async () => {
    const output = await helm('install', 'shiplog', chartPath, '--wait', '--timeout', '2m');
    expect(output).toContain('port-forward service/shiplog 8440:80');
    expect(await deployed('{.status.readyReplicas}')).toBe('1');
    const claim = await cluster.kubectl([
      '-n',
      namespace,
      'get',
      'pvc',
      'shiplog',
      '-o',
      'jsonpath={.status.phase}',
    ]);
    expect(claim.stdout).toBe('Bound');
  });

  it('passes its own test', async () => {
    expect(await helm('test', 'shiplog', '--timeout', '2m')).toMatch(/Phase:\s+Succeeded/);
  });

  it('upgrades to other values, and rolls back to the first ones', async () => {
    const values = ['--set', 'image.tag=0.2.0,readOnly=true,persistence.enabled=false'];
    await helm('upgrade', 'shiplog', chartPath, ...values, '--wait', '--timeout', '2m');
    expect(await deployed(image)).toBe('shiplog:0.2.0');
    expect(await deployed('{.spec.strategy.type}')).toBe('RollingUpdate');
    await helm('rollback', 'shiplog', '1', '--wait', '--timeout', '2m');
    expect(await deployed(image)).toBe('shiplog:0.1.0');
    expect(await deployed('{.spec.strategy}')).toBe('{"type":"Recreate"}');
    const history = JSON.parse(await helm('history', 'shiplog', '--output', 'json')) as { status: string }[];
    expect(history.map(({ status }) => status)).toEqual(['superseded', 'superseded', 'deployed']);
  });

  it('leaves the archive and nothing else when it is uninstalled', async () => {
    const { stdout } = await runHelm(['uninstall', 'shiplog', '--namespace', namespace, '--wait'], {
      kubeconfig: cluster.kubeconfigs.admin,
    });
    expect(stdout).toContain('[PersistentVolumeClaim] shiplog');
    const kinds = 'deploy,service,pvc,sa,networkpolicy,configmap,clusterrole,clusterrolebinding';
    const { stdout: left } = await cluster.kubectl([
      ...['get', kinds, '-A', '-l', 'app.kubernetes.io/instance=shiplog', '-o', 'name'],
    ]);
    expect(left.trim()).toBe('persistentvolumeclaim/shiplog');
  });
});
