import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { untilSettled } from '@/e2e/controlplane/seed';
import type { KubeObject } from '@/lib/kube/object';

interface DeploymentOptions {
  image?: string;
  replicas?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  /** Merged into the spec: `{ progressDeadlineSeconds: 3 }`. */
  spec?: object;
  /** Merged into the only container, `app`. */
  container?: object;
}

export const IMAGE = 'registry.example.com/app';

/** Path of a Deployment in the API of the cluster; without a name, of all in the namespace. */
export function deploymentPath(namespace: string, name?: string): string {
  const collection = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  return name === undefined ? collection : `${collection}/${name}`;
}

/** Path of a Deployment in the HTTP API. */
export function shownAt(namespace: string, name: string): string {
  return `/api/workloads/deployments.apps/${namespace}/${name}`;
}

/** Creates a Deployment and returns at once. */
export function createDeployment(
  cluster: ControlPlane,
  namespace: string,
  name: string,
  { image = `${IMAGE}:1.0`, replicas = 1, labels, annotations, spec, container }: DeploymentOptions = {},
): Promise<KubeObject> {
  return cluster.client().create<KubeObject>(deploymentPath(namespace), {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: labels ?? {}, annotations: annotations ?? {} },
    spec: {
      replicas,
      selector: { matchLabels: { app: name } },
      template: {
        metadata: { labels: { app: name } },
        spec: { containers: [{ name: 'app', image, ...container }] },
      },
      ...spec,
    },
  });
}

/** Gives the container another image, and returns at once. */
export function setImage(
  cluster: ControlPlane,
  namespace: string,
  name: string,
  image: string,
): Promise<KubeObject> {
  const template = { spec: { containers: [{ name: 'app', image }] } };
  return cluster
    .client()
    .patch<KubeObject>(
      `${deploymentPath(namespace, name)}?fieldManager=kubectl`,
      { spec: { template } },
      'strategic-merge-patch',
    );
}

/** A Deployment with one revision for each tag, rolled out to the end. */
export async function deploy(
  cluster: ControlPlane,
  namespace: string,
  name: string,
  tags: readonly [string, ...string[]],
  options: Omit<DeploymentOptions, 'image'> = {},
): Promise<void> {
  const [first, ...later] = tags;
  await createDeployment(cluster, namespace, name, { ...options, image: `${IMAGE}:${first}` });
  await untilSettled(cluster, 'Deployment', { namespace, name });
  for (const tag of later) {
    await setImage(cluster, namespace, name, `${IMAGE}:${tag}`);
    await untilSettled(cluster, 'Deployment', { namespace, name });
  }
}
