import 'server-only';
import type { ArchivedCluster } from '@/lib/api/archived-cluster';
import { AppError } from '@/lib/errors';
import { knownIdOf, neverReached, otherCluster } from '@/server/views/connected-cluster';
import type { SharedContext } from '@/server/views/context';
import type { RecordPlace } from '@/server/views/fleet';
import type { ClusterConfiguration } from '@/server/runtime/cluster-configuration';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import type { Clusters, RefusedCluster } from '@/server/runtime/clusters';
import { rightAtHome } from '@/server/runtime/right-at-home';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import type { Person } from '@/server/shared/viewer';

/** Parts of the running server. */
export interface PlaceSources {
  clusters: Clusters;
  configuration: Pick<ClusterConfiguration, 'gap'>;
  shared: SharedContext;
}

/**
 * Where records belong, for one request. Decided from the whole configuration, never from the clusters that a request
 * chooses: what is left out of an answer must not count as removed.
 */
export class RecordPlaces {
  readonly #sources: PlaceSources;
  readonly #person: Person;
  readonly #known = new Map<string, Promise<RecordPlace>>();
  #archived: Promise<readonly ArchivedCluster[]> | undefined;

  constructor(sources: PlaceSources, person: Person) {
    this.#sources = sources;
    this.#person = person;
  }

  /** The clusters that the archive has data of. Rejects while it can't be read. */
  archived(): Promise<readonly ArchivedCluster[]> {
    this.#archived ??= this.#sources.shared.archive?.clusters.list() ?? Promise.resolve([]);
    return this.#archived;
  }

  /** The place of the records of a cluster, by its id in the archive. */
  of(id: string): Promise<RecordPlace> {
    const known = this.#known.get(id) ?? this.#find(id);
    this.#known.set(id, known);
    return known;
  }

  async #find(id: string): Promise<RecordPlace> {
    const { clusters } = this.#sources;
    const runtime = clusters.all.find(({ cluster }) => knownIdOf(cluster) === id);
    if (runtime !== undefined) return { state: 'connected', viewed: runtime.viewedBy(this.#person) };
    const [only] = clusters.all;
    if (!clusters.isListed && only !== undefined)
      return { state: 'unknown', error: otherCluster(only.cluster, id, 'This record') };
    const row = (await this.archived()).find((each) => each.id === id);
    const error = this.#whyUnknown(row ?? { id, name: null, aliases: [] });
    if (error !== null) return { state: 'unknown', error };
    return { state: 'removed', right: await rightAtHome(clusters, this.#person, 'get', 'archivedrecords') };
  }

  /** Why this cluster, which is not read, may be configured all the same; null where no entry can be it. */
  #whyUnknown(row: Pick<ArchivedCluster, 'id' | 'name' | 'aliases'>): AppError | null {
    const { clusters, configuration } = this.#sources;
    const ids = new Set([row.id, ...row.aliases, ...(row.name === null ? [] : [row.name])]);
    const open = clusters.entries.map((entry) => configured(clusters, entry));
    const claiming = open.find((each) => namesOf(each).some((name) => ids.has(name)));
    // One that was never identified may be any that has no name in the archive.
    const nameless = row.name === null ? open.find((each) => !isIdentified(each)) : undefined;
    const candidate = claiming ?? nameless;
    if (candidate !== undefined) return undecided(candidate, row.id);
    if (configuration.gap === null) return null;
    return new AppError(
      'cluster_unreachable',
      `It is unknown whether the cluster of this record, ${row.id}, is configured: ${configuration.gap} Nothing was changed.`,
      { cluster: row.id },
    );
  }
}

interface Configured {
  entry: ClusterEntry;
  /** Undefined of one that is refused, or about to be opened. */
  runtime: ClusterRuntime | undefined;
  refused: RefusedCluster | undefined;
}

function configured({ all, refused }: Clusters, entry: ClusterEntry): Configured {
  const isOf = (each: { entry: ClusterEntry }) => each.entry.name === entry.name;
  return { entry, runtime: all.find(isOf), refused: refused.find(isOf) };
}

function isIdentified({ entry, runtime }: Configured): boolean {
  return entry.id !== null || (runtime !== undefined && knownIdOf(runtime.cluster) !== undefined);
}

/** Every id and name by which the archive may know the cluster of an entry, also one that it only claims. */
function namesOf({ entry, runtime, refused }: Configured): string[] {
  const { id, formerId, aliases = [] } = runtime?.cluster.identity ?? {};
  const claimed = refused?.refusal?.id;
  return [entry.name, ...entry.formerNames, entry.id, id, formerId, ...aliases, claimed].filter(
    (name) => name != null,
  );
}

function undecided({ entry, runtime, refused }: Configured, id: string): AppError {
  const { name } = entry;
  if (runtime === undefined) {
    return new AppError(
      'cluster_unreachable',
      `Shiplog does not read the cluster ${name} now, so nothing tells who can see its records. ${refused?.reason ?? 'It is being opened.'} Nothing was changed. Try again once the page Clusters shows it as connected.`,
      { cluster: name },
    );
  }
  if (knownIdOf(runtime.cluster) === undefined) return neverReached(name);
  return new AppError(
    'forbidden',
    `This record is of a cluster with the id ${id}, which had the name of the configured cluster ${name} but is another one. Nothing was changed. To see it among removed clusters, give the entry ${name} another name.`,
    { cluster: id },
  );
}
