import 'server-only';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { type ResourceType } from '@/lib/workloads/resource';
import { isOutOfReach } from '@/server/cluster/api-errors';
import { type ClusterIdentity } from '@/server/cluster/cluster';
import { type Credentials } from '@/server/cluster/credentials';
import { type Transport } from '@/server/cluster/transport';

/** Whether the cluster knows a resource. `unknown`: it could not be asked, for the reason given. */
export type Discovered =
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

/** Looks up each resource in its preferred versions; one request for each group and version, in the order given. */
export async function discover(api: Api, types: readonly ResourceType[]): Promise<Discovered[]> {
  const asked = new Map<string, Promise<GroupVersion | undefined>>();
  function ask(type: ResourceType, version: string): Promise<GroupVersion | undefined> {
    const path = type.group === '' ? `/api/${version}` : `/apis/${type.group}/${version}`;
    const answer = asked.get(path) ?? readGroupVersion(api, path);
    asked.set(path, answer);
    return answer;
  }
  return Promise.all(types.map((type) => find(type, ask)));
}

/** A resource as a group and version describe it. */
export interface FoundKind {
  name: string;
  kind?: string | undefined;
  namespaced: boolean;
  verbs: readonly string[];
}

/**
 * The resource of a kind that is known by name alone: in one of the given versions, first one first, else in the version
 * that its group prefers now. Null where the cluster serves no such kind. `asked` keeps answers from one call to the next.
 */
export async function findKind(
  api: Api,
  { group, kind, versions }: { group: string; kind: string; versions: readonly string[] },
  asked = new Map<string, Promise<FoundKind[] | undefined>>(),
): Promise<{ type: ResourceType; namespaced: boolean; verbs: readonly string[] } | null> {
  function ask(version: string): Promise<FoundKind[] | undefined> {
    const path = `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
    const answer =
      asked.get(path) ?? readGroupVersion(api, path).then((list) => list && (list.resources ?? []));
    asked.set(path, answer);
    return answer;
  }
  async function findIn(version: string) {
    const found = (await ask(version))?.find((entry) => entry.kind === kind && !entry.name.includes('/'));
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
 * Which cluster this is: by the uid of its namespace kube-system, which outlives addresses and certificates, else by
 * address and CA. Throws AppError while the API server is out of reach, since the wrong id would be worse than none.
 */
export async function discoverIdentity(
  api: Api,
  credentials: Pick<Credentials, 'context' | 'clusterHash'>,
  signal?: AbortSignal,
): Promise<ClusterIdentity> {
  const [uid, version] = await Promise.all([
    readOptional(api, '/api/v1/namespaces/kube-system', uidSchema, signal),
    readOptional(api, '/version', versionSchema, signal),
  ]);
  return {
    id: uid?.metadata.uid ?? credentials.clusterHash,
    name: credentials.context,
    server: api.server,
    version: version?.gitVersion ?? null,
  };
}

async function find(
  type: ResourceType,
  ask: (type: ResourceType, version: string) => Promise<GroupVersion | undefined>,
): Promise<Discovered> {
  try {
    for (const version of type.versions) {
      const resources = (await ask(type, version))?.resources ?? [];
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
    throw new AppError(
      'cluster_error',
      `The API server describes ${path} in a way that is not understood.`,
      {},
      error,
    );
  }
}

/** Undefined when it is refused or not there. */
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
    if (!(error instanceof AppError) || isOutOfReach(error) || error.code === 'unauthorized') throw error;
    return undefined;
  }
}
