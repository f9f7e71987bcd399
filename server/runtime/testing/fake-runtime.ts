import type { ClusterIdentity, Confirm, FoundIdentity } from '@/server/cluster/cluster-identity';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';

export function entryOf(name: string, change: Partial<ClusterEntry> = {}): ClusterEntry {
  const source = { kind: 'kubeconfig', files: [`/kube/${name}`] } as const;
  return { ...entryDefaults, name, source, title: name, formerNames: [], id: null, ...change };
}

/** An API server, which claims what it likes. */
export class FakeServer {
  readonly address: string;
  /** Whether it tells the uid of its namespace kube-system. */
  isStated = true;
  #id: string | null = null;
  readonly #listeners = new Set<() => void>();

  constructor(address: string) {
    this.address = address;
  }

  /** What it says of itself; null while it does not answer. */
  get found(): FoundIdentity | null {
    if (this.#id === null) return null;
    const { address: server, isStated } = this;
    const hash = `hash of ${server}`;
    return { id: this.#id, name: '', server, version: 'v1.36.0', aliases: [hash], hash, isStated };
  }

  /** Answers from now on that it is the cluster with this id. */
  answer(id: string | null): Promise<void> {
    this.#id = id;
    for (const listener of this.#listeners) listener();
    return Promise.resolve();
  }

  onAnswer(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

export interface FakeRuntime extends ClusterRuntime {
  /** As `ClusterRuntime.start`. */
  begin(): void;
}

/** A runtime that takes its id from the server as LiveCluster does, and reads nothing. */
export function fakeRuntime(
  entry: ClusterEntry,
  server: FakeServer,
  confirm: Confirm | undefined,
  onStop: () => void,
): FakeRuntime {
  const identity: ClusterIdentity = {
    id: `hash of ${server.address}`,
    name: entry.name,
    server: server.address,
    version: null,
    isGuessed: true,
  };
  let isStopped = false;
  let unsubscribe = () => false as boolean | void;
  async function identify() {
    const { found } = server;
    if (found === null || isStopped) return;
    const id = confirm === undefined ? found.id : await confirm({ ...found, id: entry.id ?? found.id });
    if (id === undefined || isStopped) return;
    delete identity.formerId;
    Object.assign(identity, { id, isGuessed: false, version: found.version });
  }
  const cluster = {
    identity,
    guess(formerId: string | undefined) {
      if (identity.isGuessed !== true) return;
      delete identity.formerId;
      if (formerId !== undefined) identity.formerId = formerId;
    },
    readIdentity() {
      const { found } = server;
      if (found === null) return Promise.reject(new Error('It does not answer.'));
      return Promise.resolve({ ...found, id: entry.id ?? found.id });
    },
  };
  const runtime = {
    entry,
    cluster,
    isReadAs: ({ name, source, id }: ClusterEntry) =>
      JSON.stringify([name, source, id]) === JSON.stringify([entry.name, entry.source, entry.id]),
    begin() {
      unsubscribe = server.onAnswer(() => void identify());
      void identify();
    },
    stop() {
      isStopped = true;
      unsubscribe();
      onStop();
      return Promise.resolve();
    },
  };
  return runtime as unknown as FakeRuntime;
}
