import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { ControlPlaneUnavailable, findKubectl } from '@/e2e/controlplane/build';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { type KubeClient, kubeClient } from '@/e2e/controlplane/kube-client';
import { runKubectl } from '@/e2e/controlplane/kubectl';
import { startComponent } from '@/e2e/controlplane/component-process';
import { freePort } from '@/e2e/controlplane/ports';
import { capabilitiesOf } from '@/e2e/controlplane/test-cluster';
import { accessManifests, USERS, type User } from '@/e2e/controlplane/users';
import { waitFor } from '@/e2e/controlplane/wait';

interface Kubeconfig {
  'current-context': string;
  clusters: { name: string; cluster: { server: string; 'certificate-authority-data'?: string } }[];
  contexts: { name: string; context: { cluster: string; user: string } }[];
  users: { name: string; user: Record<string, unknown> }[];
}

/**
 * Uses an existing cluster. Its kubeconfig must have all rights, and test data is left there. Other users are
 * impersonated; nothing can be killed, compacted or audited.
 */
export async function openExistingCluster(file: string): Promise<ControlPlane> {
  const config = parse(readFileSync(file, 'utf8')) as Kubeconfig;
  const context = config.contexts.find(({ name }) => name === config['current-context'])?.context;
  const cluster = config.clusters.find(({ name }) => name === context?.cluster)?.cluster;
  if (context === undefined || cluster === undefined) {
    throw new ControlPlaneUnavailable(`SHIPLOG_TEST_KUBECONFIG (${file}) has no current context.`);
  }
  const kubectlPath = await findKubectl();
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-existing-cluster-'));
  const kubeconfigs = Object.fromEntries(
    USERS.map((user) => [user, isAll(user) ? file : impersonate(config, context.user, user, directory)]),
  ) as Record<User, string>;
  const kubectl: ControlPlane['kubectl'] = (args, { user = 'admin', input } = {}) =>
    runKubectl(kubectlPath, kubeconfigs[user], args, input);
  const granted = await kubectl(['apply', '-f', '-'], { input: accessManifests() });
  if (granted.code !== 0)
    throw new ControlPlaneUnavailable(`The test users cannot be given their rights: ${granted.stderr}`);
  const proxy = await startProxy(kubectlPath, file, directory);
  const refuse = (): never => {
    throw new ControlPlaneUnavailable(
      'A cluster given by SHIPLOG_TEST_KUBECONFIG cannot be disturbed or audited.',
    );
  };

  return {
    server: cluster.server,
    ca: Buffer.from(cluster['certificate-authority-data'] ?? '', 'base64').toString(),
    kubeconfigs,
    capabilities: capabilitiesOf('given'),
    kubectlPath,
    kubectl,
    client: (user = 'seeder') => {
      if (!isAll(user))
        throw new ControlPlaneUnavailable(`On a given cluster, use kubectl to act as ${user}.`);

      return proxy.client;
    },
    setLog: refuse,
    killApiServer: refuse,
    startApiServer: refuse,
    freezeApiServer: refuse,
    thawApiServer: refuse,
    renewCertificates: refuse,
    compact: refuse,
    forgetHistory: refuse,
    audit: refuse,
    auditPosition: refuse,
    openWatches: refuse,
    stop: async () => {
      await proxy.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function isAll(user: User): boolean {
  return user === 'admin' || user === 'seeder';
}

function impersonate(config: Kubeconfig, credentials: string, user: User, directory: string): string {
  const path = join(directory, `${user}.kubeconfig`);
  const users = config.users.map((entry) =>
    entry.name === credentials ? { ...entry, user: { ...entry.user, as: user } } : entry,
  );
  writeFileSync(path, JSON.stringify({ ...config, users }), { mode: 0o600 });

  return path;
}

interface Proxy {
  client: KubeClient;
  stop(): Promise<void>;
}

/** `kubectl proxy` supports every authentication of a kubeconfig. */
async function startProxy(kubectlPath: string, kubeconfig: string, directory: string): Promise<Proxy> {
  const port = await freePort();
  const args = ['proxy', `--kubeconfig=${kubeconfig}`, `--port=${port}`];
  const part = startComponent(kubectlPath, args, join(directory, 'proxy.log'));
  const client = kubeClient(`http://127.0.0.1:${port}`, undefined, undefined);
  const detail = () => part.lastLines();
  await waitFor(async () => (await client.text('/version')) !== '', {
    what: 'kubectl proxy answers',
    detail,
  });

  return {
    client,
    stop: async () => {
      await client.close();
      await part.stop();
    },
  };
}
