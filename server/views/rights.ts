import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@/lib/errors';
import type { ResourceType } from '@/lib/kube/resource';
import type { Cluster } from '@/server/cluster/cluster';
import type { NamespaceAccess } from '@/server/cluster/viewer-access';
import type { Viewer } from '@/server/shared/viewer';

/** Checked in one turn of the event loop: a cached answer costs a few microseconds. */
const CHECKS_PER_TURN = 500;

/** The exact object. Without a name the check covers all objects of a namespace. */
interface AccessTarget {
  name?: string;
  subresource?: string;
}

/**
 * Whether Shiplog watches the namespace at all: `SHIPLOG_NAMESPACES` limits everything, including what the archive has
 * of other namespaces. The limit does not apply to cluster-scoped objects.
 */
export function isInScope(
  { namespaces }: Pick<Cluster, 'namespaces'>,
  namespace: string | undefined,
): boolean {
  const isNone = namespace === undefined || namespace === '-';
  return isNone || namespaces.length === 0 || namespaces.includes(namespace);
}

/** The error for a namespace beyond that limit, whatever the viewer's rights. */
function outOfScope({ namespaces }: Pick<Cluster, 'namespaces'>, namespace: string): AppError {
  return new AppError(
    'not_found',
    `Shiplog watches only ${namespaces.join(', ')} (SHIPLOG_NAMESPACES), not namespace ${namespace}.`,
    { namespace },
  );
}

/**
 * Throws 404 in a namespace that is not watched, and 403 unless the viewer can `verb` the resource in the namespace,
 * whether or not the object exists, so that the answer reveals no names. A right to `get` a named object enumerates
 * nothing: whatever lists, counts or searches needs `list`.
 * https://kubernetes.io/docs/reference/access-authn-authz/authorization/
 */
export async function assertCan(
  cluster: Cluster,
  viewer: Viewer,
  verb: string,
  type: Pick<ResourceType, 'group' | 'plural'>,
  namespace: string,
  target: AccessTarget = {},
): Promise<void> {
  if (!isInScope(cluster, namespace)) throw outOfScope(cluster, namespace);
  const { allowed, reason } = await cluster.access.can(viewer, {
    verb,
    group: type.group,
    resource: type.plural,
    ...namespaceOf(namespace),
    ...target,
  });
  if (allowed) return;
  const { subresource } = target;
  const what = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  throw new AppError(
    'forbidden',
    namespace === '-'
      ? `${viewer.name} is not allowed to ${verb} ${what} in the cluster. Request this permission.`
      : `${viewer.name} is not allowed to ${verb} ${what} in namespace ${namespace}. Request this permission, or choose another namespace.`,
    { verb, resource: what, namespace, ...(reason === undefined ? {} : { reason }) },
  );
}

/** As {@link assertCan}, as a boolean. An unreachable API server still throws. */
export async function can(
  cluster: Cluster,
  viewer: Viewer,
  verb: string,
  type: Pick<ResourceType, 'group' | 'plural'>,
  namespace?: string,
  target: AccessTarget = {},
): Promise<boolean> {
  if (!isInScope(cluster, namespace)) return false;
  const { allowed } = await cluster.access.can(viewer, {
    verb,
    group: type.group,
    resource: type.plural,
    ...namespaceOf(namespace),
    ...target,
  });
  return allowed;
}

/** What is known of a right, as a named state: what is missing, or can't be found out, allows nothing. */
export type Right =
  | { readonly state: 'allowed' }
  | { readonly state: 'denied'; readonly why: string }
  | { readonly state: 'unknown'; readonly error: AppError };

export const allowed: Right = { state: 'allowed' };

/** The answer of `ask` as a right; `why` is the sentence where it is no. */
export async function rightBy(ask: () => Promise<boolean>, why: string): Promise<Right> {
  try {
    return (await ask()) ? allowed : { state: 'denied', why };
  } catch (error) {
    if (error instanceof AppError) return { state: 'unknown', error };
    throw error;
  }
}

/** Why something is not allowed, as a sentence; null where it is. */
export function refusalOf(right: Right): string | null {
  switch (right.state) {
    case 'allowed':
      return null;
    case 'denied':
      return right.why;
    case 'unknown':
      return `It is unknown whether you are allowed to do this. ${right.error.message}`;
  }
}

/** Cluster-scoped objects need the right in all namespaces. */
function namespaceOf(namespace: string | undefined): { namespace?: string } {
  return namespace === undefined || namespace === '-' ? {} : { namespace };
}

/**
 * Decides, for one resource, in which of the namespaces the viewer can list it. Checks the right in all namespaces
 * first.
 */
export async function listableNamespaces(
  cluster: Cluster,
  viewer: Viewer,
  type: Pick<ResourceType, 'group' | 'plural'>,
  namespaces: Iterable<string>,
): Promise<NamespaceAccess> {
  const { group, plural: resource } = type;
  const inScope = [...namespaces].filter((namespace) => isInScope(cluster, namespace));
  const right = { verb: 'list', group, resource };
  const access = await cluster.viewerAccess.inNamespaces(viewer, right, new Set(inScope));
  return {
    includes: (namespace) => isInScope(cluster, namespace) && access.includes(namespace),
    isEverywhere: access.isEverywhere && cluster.namespaces.length === 0,
    progress: access.progress,
  };
}

/** The right to list a core resource, by namespace. Where the API server does not answer, it is unknown. */
export async function rightsToList(
  cluster: Cluster,
  viewer: Viewer,
  plural: string,
  namespaces: ReadonlySet<string>,
): Promise<(namespace: string) => Right> {
  try {
    const { includes } = await listableNamespaces(cluster, viewer, { group: '', plural }, namespaces);
    return (namespace) =>
      includes(namespace)
        ? allowed
        : { state: 'denied', why: `${viewer.name} is not allowed to list ${plural} in ${namespace}.` };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    return () => ({ state: 'unknown', error });
  }
}

/** Why an answer shows the objects of some namespaces only. */
export function missingNamespaces(
  { name }: Viewer,
  plural: string,
  progress: NamespaceAccess['progress'],
): { reason: string; checked?: { done: number; of: number } } {
  if (progress === null) return { reason: `${name} is not allowed to list ${plural} in some namespaces.` };
  const { done, of } = progress;
  const count = (amount: number) => amount.toLocaleString('en-US');
  return {
    reason: `Checking in which namespaces ${name} can list ${plural}: ${count(done)} of ${count(of)}.`,
    checked: { done, of },
  };
}

/** Those that are allowed; however many there are, other requests run in between. */
export async function filterAllowed<T>(
  items: readonly T[],
  isAllowed: (item: T) => Promise<boolean>,
): Promise<T[]> {
  const allowed: T[] = [];
  for (let start = 0; start < items.length; start += CHECKS_PER_TURN) {
    if (start > 0) await nextTurn();
    const batch = items.slice(start, start + CHECKS_PER_TURN);
    const answers = await Promise.all(batch.map(isAllowed));
    batch.forEach((item, index) => {
      if (answers[index] === true) allowed.push(item);
    });
  }
  return allowed;
}
