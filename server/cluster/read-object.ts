import 'server-only';
import type { KubeObject } from '@/lib/kube/object';
import { type ResourceType, resourcePath } from '@/lib/kube/resource';
import type { Cluster } from '@/server/cluster/cluster';
import type { Viewer } from '@/server/shared/viewer';

/** The object as the API server has it now, read as the viewer. */
export async function readObject(
  cluster: Pick<Cluster, 'transportFor'>,
  viewer: Viewer,
  type: Pick<ResourceType, 'group' | 'plural'>,
  version: string,
  { namespace, name }: { namespace?: string; name: string },
): Promise<KubeObject> {
  const path = resourcePath(type, version, namespace, name);
  return (await cluster.transportFor(viewer).json({ method: 'GET', path })) as unknown as KubeObject;
}
