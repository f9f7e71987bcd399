import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@/lib/errors';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { type Viewer } from '@/server/viewer';

/** Asked in one turn of the event loop: an answer that is kept costs a few microseconds. */
const ASKED_PER_TURN = 500;

/** What exactly is asked for. Without a name it is asked whether the viewer may do it to all of a namespace. */
interface Of {
  name?: string;
  subresource?: string;
}

/**
 * Whether Shiplog looks at the namespace at all: `SHIPLOG_NAMESPACES` is a border for everything, what the archive has of
 * other namespaces included. What stands in no namespace is not within it or beyond it.
 */
export function isLookedAt(
  { namespaces }: Pick<Cluster, 'namespaces'>,
  namespace: string | undefined,
): boolean {
  const isNone = namespace === undefined || namespace === '-';
  return isNone || namespaces.length === 0 || namespaces.includes(namespace);
}

/** What is said of a namespace beyond that border, whatever the viewer may. */
export function notLookedAt({ namespaces }: Pick<Cluster, 'namespaces'>, namespace: string): AppError {
  return new AppError(
    'not_found',
    `Shiplog looks at ${namespaces.join(', ')} only (SHIPLOG_NAMESPACES), so it knows nothing of namespace ${namespace}.`,
    { namespace },
  );
}

/**
 * Says 404 in a namespace that is not looked at, and 403 unless the viewer may `verb` the resource in the namespace,
 * whether or not the object exists, so that the answer tells nothing about names. A right to `get` what is named
 * enumerates nothing: whatever lists, counts or searches asks for `list`.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/
 */
export async function assertCan(
  cluster: Cluster,
  viewer: Viewer,
  verb: string,
  type: Pick<ResourceType, 'group' | 'plural'>,
  namespace: string,
  of: Of = {},
): Promise<void> {
  if (!isLookedAt(cluster, namespace)) throw notLookedAt(cluster, namespace);
  const { allowed, reason } = await cluster.access.can(viewer, {
    verb,
    group: type.group,
    resource: type.plural,
    ...placeOf(namespace),
    ...of,
  });
  if (allowed) return;
  const { subresource } = of;
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
  of: Of = {},
): Promise<boolean> {
  if (!isLookedAt(cluster, namespace)) return false;
  const { allowed } = await cluster.access.can(viewer, {
    verb,
    group: type.group,
    resource: type.plural,
    ...placeOf(namespace),
    ...of,
  });
  return allowed;
}

/** What stands in no namespace is a matter of rights in all of them. */
function placeOf(namespace: string | undefined): { namespace?: string } {
  return namespace === undefined || namespace === '-' ? {} : { namespace };
}

/** Tells, for one resource, in which of the namespaces the viewer may list it. Asked cluster-wide first. */
export async function listableNamespaces(
  cluster: Cluster,
  viewer: Viewer,
  type: ResourceType,
  namespaces: Iterable<string>,
): Promise<(namespace: string) => boolean> {
  if (await may(cluster, viewer, 'list', type)) return (namespace) => isLookedAt(cluster, namespace);
  const allowed = await filterAllowed([...new Set(namespaces)], (namespace) =>
    may(cluster, viewer, 'list', type, namespace),
  );
  const listable = new Set(allowed);
  return (namespace) => listable.has(namespace);
}

/** Those that are allowed; however many there are, other requests have their turn in between. */
export async function filterAllowed<T>(
  items: readonly T[],
  isAllowed: (item: T) => Promise<boolean>,
): Promise<T[]> {
  const allowed: T[] = [];
  for (let start = 0; start < items.length; start += ASKED_PER_TURN) {
    if (start > 0) await nextTurn();
    const batch = items.slice(start, start + ASKED_PER_TURN);
    const answers = await Promise.all(batch.map(isAllowed));
    batch.forEach((item, index) => {
      if (answers[index] === true) allowed.push(item);
    });
  }
  return allowed;
}
