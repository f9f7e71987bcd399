import 'server-only';
import { type Action, type actionSchema } from '@/lib/api/action';
import { type StreamKey, type StreamState } from '@/lib/api/cluster';
import { type Answer } from '@/lib/api/common';
import { type readinessSchema } from '@/lib/api/support';
import { AppError } from '@/lib/errors';
import { knownIdOf } from '@/server/reads/connected-cluster';
import { visibleKeys } from '@/server/reads/visible-keys';
import { type ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { type ClusterEntry } from '@/server/shared/cluster-entry';
import { configReasonOf } from '@/server/shared/config-error';
import { type Logger } from '@/server/shared/log';
import { type Person } from '@/server/shared/viewer';

/** A cluster that is away must not keep the others from being shown. */
const READY_AFTER_MS = 20_000;

/** A cluster that is configured and not read, and why. */
export interface RefusedCluster {
  entry: ClusterEntry;
  reason: string;
  /** Milliseconds since the epoch. */
  since: number;
  /** An earlier entry leads to the same cluster. */
  isDuplicate?: true;
}

export interface ClustersOptions {
  /** Whether they are listed by SHIPLOG_CLUSTERS: then they change while Shiplog runs. */
  isListed: boolean;
  /** Makes the runtime of an entry, without starting it. Rejects where its credentials can't be used. */
  open: (entry: ClusterEntry) => Promise<ClusterRuntime>;
  /** Starts what `open` made. */
  start: (runtime: ClusterRuntime) => void;
  /** Called when other clusters are read than before. */
  onChange: () => void;
  log: Logger;
}

/** The clusters of a process, in the order of their configuration. */
export class Clusters {
  readonly #options: ClustersOptions;
  readonly #startedAt = performance.now();
  readonly #stopping = new Set<Promise<void>>();
  #entries: readonly ClusterEntry[] = [];
  #all: readonly ClusterRuntime[] = [];
  /** By name. */
  readonly #refused = new Map<string, RefusedCluster>();

  constructor(options: ClustersOptions) {
    this.#options = options;
  }

  /** Those that are read. */
  get all(): readonly ClusterRuntime[] {
    return this.#all;
  }

  get refused(): readonly RefusedCluster[] {
    return [...this.#refused.values()];
  }

  get isListed(): boolean {
    return this.#options.isListed;
  }

  /** Then every answer names the cluster of each part. */
  get isSeveral(): boolean {
    return this.#all.length > 1;
  }

  /**
   * Reads these clusters from now on. Stops those that are not among them, and those that are to be read otherwise, at
   * once; resolves when each new one has started, or is refused because its credentials can't be used.
   */
  async apply(entries: readonly ClusterEntry[]): Promise<void> {
    const kept = entries.map((entry) => this.#all.find((runtime) => runtime.isReadAs(entry)));
    const ending = this.#all.filter((runtime) => !kept.includes(runtime));
    this.#entries = entries;
    this.#refused.clear();
    this.#all = kept.flatMap((runtime, index) => {
      const entry = entries[index];
      if (runtime === undefined || entry === undefined) return [];
      runtime.entry = entry;
      return [runtime];
    });
    for (const runtime of ending) this.#stop(runtime);
    this.#options.onChange();
    const added = entries.filter((_, index) => kept[index] === undefined);
    await Promise.all(added.map((entry) => this.#open(entry)));
  }

  /** Tries again to read those whose credentials could not be used. */
  async retryRefused(): Promise<void> {
    const unopened = this.refused.filter(({ isDuplicate }) => isDuplicate !== true);
    await Promise.all(unopened.map(({ entry }) => this.#open(entry)));
  }

  /** To be called before the archive and the audit are closed. */
  async stop(): Promise<void> {
    this.#entries = [];
    for (const runtime of this.#all) this.#stop(runtime);
    await Promise.all(this.#stopping);
  }

  async #open(entry: ClusterEntry): Promise<void> {
    const { log, open, start, onChange } = this.#options;
    try {
      const runtime = await open(entry);
      // The configuration may have changed meanwhile.
      if (!this.#entries.includes(entry)) return;
      this.#refused.delete(entry.name);
      runtime.cluster.onConnection(() => this.#refuseDuplicates());
      const position = ({ entry: { name } }: ClusterRuntime) =>
        this.#entries.findIndex((each) => each.name === name);
      this.#all = [...this.#all, runtime].sort((a, b) => position(a) - position(b));
      start(runtime);
    } catch (error) {
      if (!this.#entries.includes(entry)) return;
      const reason = configReasonOf(error);
      if (this.#refused.get(entry.name)?.reason === reason) return;
      log.error('a cluster can not be read', { cluster: entry.name, reason });
      this.#refused.set(entry.name, { entry, reason, since: Date.now() });
    }
    onChange();
  }

  /** Of two entries that lead to one cluster the later one is not read: its rows would be the same, or overwrite others. */
  #refuseDuplicates(): void {
    for (const [index, runtime] of this.#all.entries()) {
      const id = knownIdOf(runtime.cluster);
      const earlier = this.#all
        .slice(0, index)
        .find((each) => id !== undefined && knownIdOf(each.cluster) === id);
      if (earlier === undefined) continue;
      const { entry } = runtime;
      const reason = duplicateReason(earlier, runtime);
      this.#options.log.error('a cluster is not read', { cluster: entry.name, reason });
      this.#all = this.#all.filter((each) => each !== runtime);
      this.#refused.set(entry.name, { entry, reason, since: Date.now(), isDuplicate: true });
      this.#stop(runtime);
      this.#options.onChange();
      return this.#refuseDuplicates();
    }
  }

  #stop(runtime: ClusterRuntime): void {
    const stopping = runtime
      .stop()
      .catch((error: unknown) =>
        this.#options.log.error('a cluster did not stop cleanly', { cluster: runtime.entry.name, error }),
      )
      .finally(() => this.#stopping.delete(stopping));
    this.#stopping.add(stopping);
  }

  /** By its name, its id, or a former name. */
  find(text: string): ClusterRuntime | undefined {
    return (
      this.#all.find(({ entry }) => entry.name === text) ??
      this.#all.find(({ cluster }) => cluster.identity.id === text) ??
      this.#all.find(({ entry }) => entry.formerNames.includes(text))
    );
  }

  /** As {@link find}; throws AppError `bad_request`, since the answer would be about another cluster. */
  named(text: string): ClusterRuntime {
    const found = this.find(text);
    if (found !== undefined) return found;
    throw this.unknown(text);
  }

  /** The error for a name that no cluster has. */
  unknown(text: string): AppError {
    const known = this.#all.map(({ entry, cluster }) => ({ id: cluster.identity.id, name: entry.name }));
    const names = known.map(({ id, name }) => `${name} (${id})`).join(', ');
    return new AppError(
      'bad_request',
      `cluster: This Shiplog is connected to ${names} and to no cluster ${JSON.stringify(text.slice(0, 200))}. Nothing was changed. Omit the parameter, or ask the instance of that cluster.`,
      { field: 'cluster', known },
    );
  }

  /**
   * Ready once every cache is filled or known to be forbidden, and opening the archive has been tried; of several
   * clusters the caches of one suffice, or 20 s.
   */
  readiness(isArchiveTried: boolean): Answer<typeof readinessSchema> {
    const isLongSinceStart = performance.now() - this.#startedAt > READY_AFTER_MS;
    const ready = this.isSeveral
      ? isLongSinceStart || this.#all.some(({ cluster }) => cluster.ready)
      : this.#all.every(({ cluster }) => cluster.ready);
    // Anyone may ask, so it names no cluster.
    const waitingFor = new Set(
      this.#all
        .flatMap(({ cluster }) => cluster.cache.states())
        .filter(({ synced }) => !synced)
        .map(({ resource }) => resource),
    );
    if (!isArchiveTried) waitingFor.add('archive');
    return { ready: ready && isArchiveTried, waitingFor: [...waitingFor] };
  }

  /** An action on an object of any of them. */
  async action(person: Person, id: string): Promise<Answer<typeof actionSchema>> {
    const owns = await Promise.all(this.#all.map(({ actions }) => actions.owns(id)));
    const owner = this.#all[Math.max(0, owns.indexOf(true))];
    if (owner === undefined) throw new AppError('not_found', `Action ${id} not found.`);
    return owner.actions.get(owner.viewerOf(person), id);
  }

  latestActions(): Action[] {
    return this.#all.flatMap(({ actions }) => actions.latest());
  }

  async visibleKeys(person: Person, keys: readonly StreamKey[]): Promise<StreamKey[]> {
    const visible = await Promise.all(
      this.#all.map((each) => visibleKeys(each.cluster, each.viewerOf(person), keys)),
    );
    return visible.flat();
  }

  streamState(person: Person): StreamState {
    const states = this.#all.map((each) => [each.cluster.identity.id, each.connectionFor(person)] as const);
    return { clusters: Object.fromEntries(states) };
  }
}

function duplicateReason(
  { entry: earlier, cluster: first }: ClusterRuntime,
  { entry, cluster }: ClusterRuntime,
): string {
  return first.identity.server === cluster.identity.server
    ? `${entry.name} is the same cluster as ${earlier.name}: both entries lead to ${cluster.identity.server}. Remove one of them.`
    : `${entry.name} has the same kube-system namespace as ${earlier.name}, at another address. If it was restored from a backup of that cluster, give it an id of its own with "id:"; else remove one of the entries.`;
}
