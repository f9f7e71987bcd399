import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

export const WEB = '/apps.kruise.io/v1beta1/namespaces/default/clonesets/web';

export function cloneSet(spec: JsonObject = {}, image = 'web:1'): JsonObject & { kind: string } {
  return {
    apiVersion: 'apps.kruise.io/v1beta1',
    kind: 'CloneSet',
    metadata: { name: 'web' },
    spec: { replicas: 5, selector: { matchLabels: { app: 'web' } }, template: template(image), ...spec },
  };
}

export function template(image: string, env?: string): JsonObject {
  const container = {
    name: 'app',
    image,
    ...(env === undefined ? {} : { env: [{ name: 'LEVEL', value: env }] }),
  };
  return { metadata: { labels: { app: 'web' } }, spec: { containers: [container] } };
}

/** Pods that are not being deleted, by name. */
export async function livePods(sandbox: TestSandbox): Promise<KubeObject[]> {
  const pods = await sandbox.list('pods', '/api/v1');
  return pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
}

export function imageOf({ spec }: KubeObject): string {
  const [container] = (spec?.containers ?? []) as { image: string }[];
  return container?.image ?? '';
}

export function imagesOf(pods: readonly KubeObject[]): Record<string, string> {
  return Object.fromEntries(pods.map((pod) => [pod.metadata.name, imageOf(pod)]));
}
