import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type TestSandbox } from '@/sandbox/controllers/testing/test-sandbox';

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
