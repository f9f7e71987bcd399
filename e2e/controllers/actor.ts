import { setTimeout as delay } from 'node:timers/promises';
import { type ControlPlane } from '@/e2e/controlplane/control-plane';
import { type KubeClient } from '@/e2e/controlplane/kube-client';
import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';

/** Who does the same things on two clusters. */
export interface Actor {
  readonly namespace: string;
  readonly client: KubeClient;
  /** Output of kubectl in the namespace. Throws when it fails. */
  kubectl(...args: string[]): Promise<string>;
  apply(manifest: object): Promise<void>;
  create(manifest: object): Promise<void>;
  /** Returns when nothing has changed for a while. */
  settle(): Promise<void>;
}

const WATCHED = [
  '/apis/apps/v1/namespaces/NS/deployments',
  '/apis/apps/v1/namespaces/NS/replicasets',
  '/apis/apps/v1/namespaces/NS/statefulsets',
  '/apis/apps/v1/namespaces/NS/daemonsets',
  '/apis/apps/v1/namespaces/NS/controllerrevisions',
  '/api/v1/namespaces/NS/pods',
];
const STILL_MS = 1_500;
const EVERY_MS = 250;
const PATIENCE_MS = 60_000;

export async function createActor(cluster: ControlPlane, namespace: string): Promise<Actor> {
  const client = cluster.client();
  await client.create('/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const kubectl = async (...args: string[]) => {
    const { code, stdout, stderr } = await cluster.kubectl(['-n', namespace, ...args]);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  };

  const send = (verb: string) => async (manifest: object) => {
    const input = JSON.stringify(manifest);
    const { code, stderr } = await cluster.kubectl(['-n', namespace, verb, '-f', '-'], { input });
    if (code !== 0) throw new Error(`kubectl ${verb}: ${stderr}`);
  };

  return {
    namespace,
    client,
    kubectl,
    apply: send('apply'),
    create: send('create'),
    settle: () => settle(client, namespace),
  };
}

async function settle(client: KubeClient, namespace: string): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  let before = '';
  let since = Date.now();
  while (Date.now() < deadline) {
    const now = await fingerprint(client, namespace);
    if (now !== before) since = Date.now();
    else if (Date.now() - since >= STILL_MS && !/deleting/.test(now)) return;
    before = now;
    await delay(EVERY_MS);
  }
  throw new Error(`Namespace ${namespace} did not come to rest.`);
}

async function fingerprint(client: KubeClient, namespace: string): Promise<string> {
  const parts: string[] = [];
  for (const path of WATCHED) {
    const { items } = await client.list(path.replace('NS', namespace));
    for (const item of items) {
      const { metadata } = item as object as KubeObject;
      const status = (item.status ?? {}) as JsonObject;
      const isUnobserved =
        'observedGeneration' in status && status.observedGeneration !== metadata.generation;
      const state = metadata.deletionTimestamp !== undefined || isUnobserved ? 'deleting' : '';
      parts.push(`${metadata.uid} ${metadata.resourceVersion} ${state}`);
    }
  }
  return parts.join('\n');
}
