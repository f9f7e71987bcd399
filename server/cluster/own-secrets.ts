import 'server-only';
import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { loadCredentials } from '@/server/cluster/credentials';
import type { LoadedKubeConfig } from '@/server/cluster/kubeconfig';
import { pathTo } from '@/server/cluster/request-guard';
import { loadSecretKubeConfig } from '@/server/cluster/secret-kubeconfig';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { type Clock, systemClock } from '@/server/shared/clock';
import type { ClusterEntry, EntryDefaults } from '@/server/shared/cluster-entry';
import { CLUSTERS_MAX, type Discovery, isClusterName, isStage, isTitle } from '@/server/shared/clusters-file';
import { ConfigError } from '@/server/shared/config-error';

const NAMESPACE_FILE = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
/** The names and labels of Secrets, without their data. */
const METADATA_LIST = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';
/** Clusters wait for it when their token has expired. */
const TIMEOUT_MS = 10_000;
const PREFIX = 'shiplog-cluster-';

const secretSchema = z.object({ data: z.record(z.string(), z.string()).default({}) });
const texts = z.record(z.string(), z.string()).nullish();
const listSchema = z.object({
  metadata: z.object({ continue: z.string().optional() }).optional(),
  items: z
    .array(z.object({ metadata: z.object({ name: z.string(), labels: texts, annotations: texts }) }))
    .nullable(),
});
type Metadata = NonNullable<z.infer<typeof listSchema>['items']>[number]['metadata'];

/** The Secrets of the namespace that Shiplog's pod is in, read as its service account. Their data is never kept. */
export class OwnSecrets {
  readonly #transport: Pick<Transport, 'json' | 'close'>;
  readonly #path: string;

  constructor(transport: Pick<Transport, 'json' | 'close'>, namespace: string) {
    this.#transport = transport;
    this.#path = pathTo('api', 'v1', 'namespaces', namespace, 'secrets');
  }

  /** Throws ConfigError outside of a pod. */
  static open(clock: Clock = systemClock): OwnSecrets {
    const credentials = loadCredentials({ kind: 'in_cluster' }, clock);
    if (!existsSync(NAMESPACE_FILE))
      throw new ConfigError([
        `Shiplog reads Secrets from its own namespace only, but there is no ${NAMESPACE_FILE}.`,
      ]);
    const namespace = readFileSync(NAMESPACE_FILE, 'utf8').trim();
    return new OwnSecrets(createTransport({ credentials, readOnly: true, clock }), namespace);
  }

  /** The kubeconfig in a Secret, with the context given or its current one. Throws ConfigError and AppError. */
  async loadKubeConfig(name: string, context?: string): Promise<LoadedKubeConfig> {
    const path = `${this.#path}${pathTo(name)}`;
    const answer = secretSchema.safeParse(
      await this.#transport.json({ method: 'GET', path, timeoutMs: TIMEOUT_MS }),
    );
    if (answer.data === undefined) throw unknownFormat(path);
    return loadSecretKubeConfig(name, answer.data.data, context);
  }

  /**
   * An entry for each labelled Secret, in the order of their names, besides the entries of the file, which keep their
   * names and Secrets. A Secret that can't be an entry is a problem, and the others are entries. Throws AppError.
   */
  async discover(
    { labelSelector, defaults }: Discovery,
    listed: readonly ClusterEntry[],
    signal?: AbortSignal,
  ): Promise<{ entries: readonly ClusterEntry[]; problems: readonly string[] }> {
    const answer = listSchema.safeParse(
      await this.#transport.json({
        method: 'GET',
        path: this.#path,
        query: { labelSelector, limit: String(CLUSTERS_MAX + 1) },
        accept: METADATA_LIST,
        timeoutMs: TIMEOUT_MS,
        ...(signal !== undefined && { signal }),
      }),
    );
    if (answer.data === undefined) throw unknownFormat(this.#path);
    const listedSecrets = new Set(
      listed.flatMap(({ source }) => (source.kind === 'secret' ? [source.name] : [])),
    );
    const names = new Set(listed.flatMap(({ name, formerNames }) => [name, ...formerNames]));
    const entries: ClusterEntry[] = [];
    const problems: string[] = [];
    const secrets = (answer.data.items ?? [])
      .map(({ metadata }) => metadata)
      .filter(({ name }) => !listedSecrets.has(name));
    for (const metadata of secrets) {
      const entry = entryOf(metadata, defaults);
      if (typeof entry === 'string') problems.push(`Secret ${metadata.name}: ${entry}.`);
      else if (names.has(entry.name))
        problems.push(`Secret ${metadata.name}: there is another cluster "${entry.name}".`);
      else if (listed.length + entries.length >= CLUSTERS_MAX)
        problems.push(`Secret ${metadata.name}: Shiplog shows at most ${CLUSTERS_MAX} clusters.`);
      else {
        names.add(entry.name);
        entries.push(entry);
      }
    }
    return { entries, problems };
  }

  close(): Promise<void> {
    return this.#transport.close();
  }
}

/** Or why it can't be one. */
function entryOf(
  { name: secret, labels, annotations }: Metadata,
  defaults: EntryDefaults,
): ClusterEntry | string {
  function stated(member: string): string | undefined {
    const key = `shiplog.dev/${member}`;
    return annotations?.[key] ?? labels?.[key];
  }
  const name = stated('name') ?? (secret.startsWith(PREFIX) ? secret.slice(PREFIX.length) : secret);
  if (!isClusterName(name))
    return `"${name}" cannot be the name of a cluster; set the annotation shiplog.dev/name`;
  const title = stated('title') ?? name;
  if (!isTitle(title)) return 'the annotation shiplog.dev/title must be at most 100 characters';
  const stage = stated('stage') ?? defaults.stage;
  if (stage !== null && !isStage(stage))
    return 'the annotation shiplog.dev/stage must be at most 40 characters of a-z, 0-9, and "-"';
  const readOnly = stated('read-only') ?? 'false';
  if (readOnly !== 'true' && readOnly !== 'false')
    return 'the annotation shiplog.dev/read-only must be "true" or "false"';
  return {
    ...defaults,
    name,
    title,
    stage,
    formerNames: [],
    source: { kind: 'secret', name: secret },
    id: null,
    // A Secret can restrict what the file allows, not extend it.
    readOnly: defaults.readOnly || readOnly === 'true',
  };
}

function unknownFormat(path: string): AppError {
  return new AppError('cluster_error', `The API server answered ${path} in an unknown format.`, { path });
}
