import 'server-only';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import type { ResourceType } from '@/lib/kube/resource';
import { isUnreachable } from '@/server/cluster/api-errors';
import type { KnownClusters } from '@/server/cluster/known-clusters';
import type { FoundIdentity } from '@/server/cluster/cluster-identity';
import type { Credentials } from '@/server/cluster/credentials';
import type { Transport } from '@/server/cluster/transport';

/** Whether the cluster serves a resource. `unknown`: the API server gave no answer, for the reason given. */
type DiscoveredResource =
  | {
      readonly state: 'served';
      readonly type: ResourceType;
      /** The first of the preferred versions that is served. */
      readonly version: string;
      readonly namespaced: boolean;
      readonly verbs: readonly string[];
      /** `status`, `scale`, `log`, … */
      readonly subresources: readonly string[];
    }
  | { readonly state: 'absent'; readonly type: ResourceType }
  | { readonly state: 'unknown'; readonly type: ResourceType; readonly error: AppError };

/** https://kubernetes.io/docs/reference/using-api/api-concepts/#discovery-api */
const resourceListSchema = z.object({
  resources: z
    .array(
      z.object({
        name: z.string(),
        kind: z.string().optional(),
        namespaced: z.boolean(),
        verbs: z.array(z.string()),
      }),
    )
    .nullable(),
});
const groupSchema = z.object({ preferredVersion: z.object({ version: z.string() }) });
const versionSchema = z.object({ gitVersion: z.string() });
const uidSchema = z.object({ metadata: z.object({ uid: z.string().min(1) }) });

type Api = Pick<Transport, 'json' | 'server'>;
type GroupVersion = z.infer<typeof resourceListSchema>;

/**
 * Discovers each resource in its preferred versions; one request for each group and version, in the order
 * given.
 */
export async function discover(api: Api, types: readonly ResourceType[]): Promise<DiscoveredResource[]> {
  const cachedLists = new Map<string, Promise<GroupVersion | undefined>>();
  function readVersion(type: ResourceType, version: string): Promise<GroupVersion | undefined> {
    const path = type.group === '' ? `/api/${version}` : `/apis/${type.group}/${version}`;
    const answer = cachedLists.get(path) ?? readGroupVersion(api, path);
    cachedLists.set(path, answer);
    return answer;
  }
  return Promise.all(types.map((type) => findResource(type, readVersion)));
}

/** A resource as a group and version describe it. */
export interface ApiResource {
  name: string;
  kind?: string | undefined;
  namespaced: boolean;
  verbs: readonly string[];
}

/**
 * The resource of a kind that is known by name alone: in the first of the given versions that serves it, else
 * in the preferred version of its group. Null where the cluster serves no such kind. `asked` caches answers
 * from one call to the next.
 */
export async function findKind(
  api: Api,
  { group, kind, versions }: { group: string; kind: string; versions: readonly string[] },
  cachedLists = new Map<string, Promise<ApiResource[] | undefined>>(),
): Promise<{ type: ResourceType; namespaced: boolean; verbs: readonly string[] } | null> {
  function readVersion(version: string): Promise<ApiResource[] | undefined> {
    const path = `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
    const answer =
      cachedLists.get(path) ?? readGroupVersion(api, path).then((list) => list && (list.resources ?? []));
    cachedLists.set(path, answer);
    return answer;
  }
  async function findIn(version: string) {
    const found = (await readVersion(version))?.find(
      (entry) => entry.kind === kind && !entry.name.includes('/'),
    );
    if (found === undefined) return null;
    const { name: plural, namespaced, verbs } = found;
    const type = {
      id: `${plural}.${group}`,
      group,
      versions: [version],
      plural,
      kind,
      isCustom: true,
    } as const;
    return { type, namespaced, verbs };
  }
  const tried = new Set(versions);
  for (const version of tried) {
    const found = await findIn(version);
    if (found !== null) return found;
  }
  const preferred = await preferredVersion(api, group);
  return preferred === undefined || tried.has(preferred) ? null : findIn(preferred);
}

async function preferredVersion(api: Api, group: string): Promise<string | undefined> {
  try {
    const answer = await api.json({ method: 'GET', path: `/apis/${encodeURIComponent(group)}` });
    return groupSchema.safeParse(answer).data?.preferredVersion.version;
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    throw error;
  }
}

/**
 * The identity of the cluster: the uid of its namespace kube-system, which outlives addresses and certificates, else
 * address and CA. An id under which it is known already stays, when rights to read that namespace come or go. Throws
 * AppError while the API server is unreachable, since a wrong id would be worse than none.
 */
export async function discoverIdentity(
  api: Api,
  { context, clusterHash }: Pick<Credentials, 'context' | 'clusterHash'>,
  known: Pick<KnownClusters, 'idOf'> | undefined,
  signal?: AbortSignal,
): Promise<FoundIdentity> {
  const [uid, version] = await Promise.all([
    readOptional(api, '/api/v1/namespaces/kube-system', uidSchema, signal),
    readOptional(api, '/version', versionSchema, signal),
  ]);
  const ids = [uid?.metadata.uid, clusterHash].filter((id) => id !== undefined);
  const id = knownId(uid?.metadata.uid, clusterHash, known) ?? ids[0] ?? clusterHash;
  return {
    id,
    name: context,
    server: api.server,
    version: version?.gitVersion ?? null,
    aliases: ids.filter((alias) => alias !== id),
    hash: clusterHash,
    isStated: uid !== undefined,
  };
}

/** An address and CA that led to another uid may lead to another cluster by now: then the uid counts. */
function knownId(
  uid: string | undefined,
  clusterHash: string,
  known: Pick<KnownClusters, 'idOf'> | undefined,
): string | undefined {
  const byAddress = known?.idOf(clusterHash);
  if (uid === undefined) return byAddress;
  return known?.idOf(uid) ?? (byAddress === clusterHash ? byAddress : undefined);
}

async function findResource(
  type: ResourceType,
  readVersion: (type: ResourceType, version: string) => Promise<GroupVersion | undefined>,
): Promise<DiscoveredResource> {
  try {
    for (const version of type.versions) {
      const resources = (await readVersion(type, version))?.resources ?? [];
      const found = resources.find((resource) => resource.name === type.plural);
      if (found === undefined) continue;
      const prefix = `${type.plural}/`;
      const subresources = resources
        .filter((resource) => resource.name.startsWith(prefix))
        .map((resource) => resource.name.slice(prefix.length));
      return {
        state: 'served',
        type,
        version,
        namespaced: found.namespaced,
        verbs: found.verbs,
        subresources,
      };
    }
    return { state: 'absent', type };
  } catch (error) {
    if (error instanceof AppError) return { state: 'unknown', type, error };
    throw error;
  }
}

/** Undefined when the group or version is not served. */
async function readGroupVersion(api: Api, path: string): Promise<GroupVersion | undefined> {
  try {
    return resourceListSchema.parse(await api.json({ method: 'GET', path }));
  } catch (error) {
    if (error instanceof AppError && error.code === 'not_found') return undefined;
    if (error instanceof AppError) throw error;
    throw new AppError('cluster_error', `The API server describes ${path} in an unknown format.`, {}, error);
  }
}

/** Undefined when it is forbidden or missing. */
async function readOptional<T>(
  api: Api,
  path: string,
  schema: z.ZodType<T>,
  signal: AbortSignal | undefined,
): Promise<T | undefined> {
  try {
    const request = { method: 'GET', path, ...(signal === undefined ? {} : { signal }) } as const;
    return schema.safeParse(await api.json(request)).data;
  } catch (error) {
    if (!(error instanceof AppError) || isUnreachable(error) || error.code === 'unauthorized') throw error;
    return undefined;
  }
}
