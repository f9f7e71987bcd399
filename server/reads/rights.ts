import 'server-only';
import { AppError } from '@/lib/errors';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { type Viewer } from '@/server/viewer';

/** Reviews asked at once when a viewer has no cluster-wide right. */
const PARALLEL_REVIEWS = 20;

/**
 * Says 403 unless the viewer may `verb` the resource in the namespace, whether or not the object exists, so that
 * the answer tells nothing about names. https://kubernetes.io/docs/reference/access-authn-authz/authorization/
 */
export async function assertCan(
  cluster: Cluster,
  viewer: Viewer,
  verb: string,
  type: Pick<ResourceType, 'group' | 'plural'>,
  namespace: string,
  subresource?: string,
): Promise<void> {
  const { allowed, reason } = await cluster.access.can(viewer, {
    verb,
    group: type.group,
    resource: type.plural,
    ...placeOf(namespace),
    ...(subresource === undefined ? {} : { subresource }),
  });
  if (allowed) return;
  const what = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  throw new AppError(
    'forbidden',
    namespace === '-'
      ? `${viewer.name} may not ${verb} ${what} in the whole cluster. Ask for that right.`
      : `${viewer.name} may not ${verb} ${what} in namespace ${namespace}. Ask for that right, or choose another namespace.`,
    { verb, resource: what, namespace, ...(reason === undefined ? {} : { reason }) },
  );
}

/** As {@link assertCan}, as an answer. An unreachable API server still throws. */
export async function may(
  cluster: Cluster,
  viewer: Viewer,
  verb: string,
  type: Pick<ResourceType, 'group' | 'plural'>,
  namespace?: string,
): Promise<boolean> {
  const { allowed } = await cluster.access.can(viewer, {
    verb,
    group: type.group,
    resource: type.plural,
    ...placeOf(namespace),
  });
  return allowed;
}

/** What stands in no namespace is a matter of rights in all of them. */
function placeOf(namespace: string | undefined): { namespace?: string } {
  return namespace === undefined || namespace === '-' ? {} : { namespace };
}

/** Tells, for one resource, which of the namespaces the viewer may read. Asked cluster-wide first. */
export async function readableNamespaces(
  cluster: Cluster,
  viewer: Viewer,
  type: ResourceType,
  namespaces: Iterable<string>,
): Promise<(namespace: string) => boolean> {
  if (await may(cluster, viewer, 'get', type)) return () => true;
  const wanted = [...new Set(namespaces)];
  const allowed = new Set<string>();
  for (let start = 0; start < wanted.length; start += PARALLEL_REVIEWS) {
    const batch = wanted.slice(start, start + PARALLEL_REVIEWS);
    const answers = await Promise.all(batch.map((namespace) => may(cluster, viewer, 'get', type, namespace)));
    batch.forEach((namespace, index) => {
      if (answers[index] === true) allowed.add(namespace);
    });
  }
  return (namespace) => allowed.has(namespace);
}
