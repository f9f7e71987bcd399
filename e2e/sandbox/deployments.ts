import type { KubeClient } from '@/e2e/controlplane/kube-client';

export const NAMESPACE = 'default';

const COLLECTION = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;

/** Path of a Deployment in the HTTP API of Shiplog. */
export function shownAt(name: string): string {
  return `/api/workloads/deployments.apps/${NAMESPACE}/${encodeURIComponent(name)}`;
}

/** Path of a Deployment in the API of the cluster. */
export function deploymentPath(name: string): string {
  return `${COLLECTION}/${encodeURIComponent(name)}`;
}

/** One replica of one container, `app`; `container` is merged into it. */
export async function createDeployment(
  client: KubeClient,
  name: string,
  image: string,
  container: object = {},
): Promise<void> {
  await client.create(COLLECTION, {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image, ...container }] },
      },
    },
  });
}

export async function setImage(client: KubeClient, name: string, image: string): Promise<void> {
  const containers = [{ name: 'app', image }];
  await client.patch(
    `${deploymentPath(name)}?fieldManager=kubectl`,
    { spec: { template: { spec: { containers } } } },
    'strategic-merge-patch',
  );
}

/** A change that no controller reacts to. */
export async function annotate(client: KubeClient, name: string, note: string): Promise<void> {
  await client.patch(deploymentPath(name), { metadata: { annotations: { 'example.com/note': note } } });
}

export function removeDeployment(client: KubeClient, name: string): Promise<void> {
  return client.remove(deploymentPath(name));
}

export async function namesOf(client: KubeClient): Promise<string[]> {
  const { items } = await client.list(COLLECTION);
  return items.map(({ metadata }) => (metadata as { name: string }).name);
}
