import 'server-only';
import { type Action, type actionSchema } from '@/lib/api/action';
import { type StreamKey, type StreamState } from '@/lib/api/cluster';
import { type Answer } from '@/lib/api/common';
import { type readinessSchema } from '@/lib/api/routes';
import { AppError } from '@/lib/errors';
import { visibleKeys } from '@/server/reads/visible-keys';
import { type ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { type Viewer } from '@/server/shared/viewer';

/** A cluster that is away must not keep the others from being shown. */
const READY_AFTER_MS = 20_000;

/** The clusters of a process, in the order of their configuration. */
export class Clusters {
  /** Whether they are listed by SHIPLOG_CLUSTERS: then some may be removed while Shiplog runs. */
  readonly isListed: boolean;
  readonly #all: readonly ClusterRuntime[];
  readonly #startedAt = performance.now();

  constructor(all: readonly ClusterRuntime[], isListed: boolean) {
    this.#all = all;
    this.isListed = isListed;
  }

  get all(): readonly ClusterRuntime[] {
    return this.#all;
  }

  /** Then every answer names the cluster of each part. */
  get isSeveral(): boolean {
    return this.#all.length > 1;
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

  /** Ready once every cache is filled or known to be forbidden; of several clusters those of one suffice, or 20 s. */
  readiness(): Answer<typeof readinessSchema> {
    const isLongSinceStart = performance.now() - this.#startedAt > READY_AFTER_MS;
    const ready = this.isSeveral
      ? isLongSinceStart || this.#all.some(({ cluster }) => cluster.ready)
      : this.#all.every(({ cluster }) => cluster.ready);
    const waitingFor = this.#all.flatMap(({ entry, cluster }) =>
      cluster.cache
        .states()
        .filter(({ synced }) => !synced)
        .map(({ resource }) => (this.isSeveral ? `${entry.name}/${resource}` : resource)),
    );
    return { ready, waitingFor };
  }

  /** An action on an object of any of them. */
  async action(person: Viewer, id: string): Promise<Answer<typeof actionSchema>> {
    const owns = await Promise.all(this.#all.map(({ actions }) => actions.owns(id)));
    const owner = this.#all[Math.max(0, owns.indexOf(true))];
    if (owner === undefined) throw new AppError('not_found', `Action ${id} not found.`);
    return owner.actions.get(owner.viewerOf(person), id);
  }

  latestActions(): Action[] {
    return this.#all.flatMap(({ actions }) => actions.latest());
  }

  async visibleKeys(person: Viewer, keys: readonly StreamKey[]): Promise<StreamKey[]> {
    const byCluster = Map.groupBy(keys, ({ cluster }) => cluster);
    const visible = await Promise.all(
      this.#all.map((each) =>
        visibleKeys(each.cluster, each.viewerOf(person), byCluster.get(each.cluster.identity.id) ?? []),
      ),
    );
    return visible.flat();
  }

  streamState(person: Viewer): StreamState {
    const states = this.#all.map((each) => [each.cluster.identity.id, each.connectionFor(person)] as const);
    return { clusters: Object.fromEntries(states) };
  }
}
