import 'server-only';
import type { Action, actionSchema } from '@/lib/api/action';
import type { BoundEntry } from '@/lib/api/archived-cluster';
import type { ClusterRefusal, StreamKey, StreamState } from '@/lib/api/cluster';
import type { Answer } from '@/lib/api/common';
import type { readinessSchema } from '@/lib/api/support';
import { AppError } from '@/lib/errors';
import { visibleKeys } from '@/server/views/visible-keys';
import type { Confirm, FoundIdentity } from '@/server/cluster/cluster-identity';
import { ClusterAdmission, type Member, type MovedCluster } from '@/server/runtime/cluster-admission';
import { refusalText } from '@/server/runtime/cluster-claims';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import type { BindingRepository } from '@/server/runtime/entry-bindings';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import { configReasonOf } from '@/server/shared/config-error';
import type { Logger } from '@/server/shared/log';
import type { Person } from '@/server/shared/viewer';

/** A cluster that is away must not keep the others from being shown. */
const READY_AFTER_MS = 20_000;

/** A cluster that is configured and not read, and why. */
export interface RefusedCluster {
  entry: ClusterEntry;
  reason: string;
  /** Milliseconds since the epoch. */
  since: number;
  /** Null where its credentials can't be used; else which id it claims. */
  refusal: ClusterRefusal | null;
  /** Address of the API server that claims it; null where none has answered. */
  server: string | null;
}

export interface ClustersOptions {
  /** Whether they are listed by SHIPLOG_CLUSTERS: then they change while Shiplog runs. */
  isListed: boolean;
  /**
   * Makes the runtime of an entry, without starting it. Rejects where its credentials can't be used. `confirm` decides
   * whether the cluster is the one that it claims to be; undefined for one that is not listed.
   */
  open: (entry: ClusterEntry, confirm: Confirm | undefined) => Promise<ClusterRuntime>;
  /** Starts what `open` made. */
  start: (runtime: ClusterRuntime) => void;
  /** Called when other clusters are read than before. */
  onChange: () => void;
  /** Called when an entry keeps its id at another address, or with another authority. */
  onMoved?: (moved: MovedCluster) => void;
  log: Logger;
}

/** The clusters of a process, in the order of their configuration. */
export class Clusters {
  readonly #options: ClustersOptions;
  readonly #admission: ClusterAdmission;
  readonly #startedAt = performance.now();
  readonly #stopping = new Set<Promise<void>>();
  #entries: readonly ClusterEntry[] = [];
  #members: readonly Member[] = [];

  constructor(options: ClustersOptions) {
    this.#options = options;
    const { onMoved, log } = options;
    this.#admission = new ClusterAdmission({
      members: () => (options.isListed ? this.#members : []),
      refuse: (member, refusal) => this.#refuse(member, refusal),
      read: (member) => this.#readAgain(member),
      onMoved,
      log,
    });
  }

  /** Those that are read. */
  get all(): readonly ClusterRuntime[] {
    return this.#members.flatMap(({ runtime, refused }) =>
      runtime === null || refused !== null ? [] : [runtime],
    );
  }

  /** All that are configured: those that are read, refused, or about to be opened. */
  get entries(): readonly ClusterEntry[] {
    return this.#entries;
  }

  get refused(): readonly RefusedCluster[] {
    return this.#members.flatMap(({ entry, claim, refused }) =>
      refused === null ? [] : [{ entry, ...refused, server: claim?.server ?? null }],
    );
  }

  get isListed(): boolean {
    return this.#options.isListed;
  }

  /** Then every answer names the cluster of each part. */
  get isSeveral(): boolean {
    return this.all.length > 1;
  }

  /**
   * The cluster that Shiplog runs in. It may be one that is not read: whose account the pod has, no claim decides.
   * Undefined where that is no entry.
   */
  get home(): ClusterRuntime | undefined {
    return this.#members.find(({ entry }) => entry.source.kind === 'in_cluster')?.runtime ?? undefined;
  }

  /** How the id of an entry moved to its present address; null where it never did. */
  movedOf(entry: ClusterEntry): BoundEntry['moved'] {
    return this.#admission.movedOf(entry);
  }

  /**
   * Reads these clusters from now on. Stops those that are not among them, and those that are to be read otherwise, at
   * once; resolves when each new one has started, or is refused because its credentials can't be used.
   */
  async apply(entries: readonly ClusterEntry[]): Promise<void> {
    const kept = entries.flatMap((entry) => {
      const member = this.#members.find(({ runtime }) => runtime?.isReadAs(entry));
      if (member?.runtime == null) return [];
      member.entry = entry;
      member.runtime.entry = entry;
      return [member];
    });
    const ending = this.#members.filter((member) => !kept.includes(member));
    this.#entries = entries;
    this.#members = kept;
    for (const member of ending) this.#end(member);
    this.#options.onChange();
    const added = entries.filter((entry) => kept.every((member) => member.entry !== entry));
    for (const entry of added) this.#add(entry);
    await Promise.all(added.map((entry) => this.#open(entry)));
    void this.#admission.settle();
  }

  /**
   * Tries again to read those that are refused: their credentials may be usable by now, and their clusters may be others.
   * Learns what other processes have accepted.
   */
  async retryRefused(): Promise<void> {
    const refused = this.#members.filter((member) => member.refused !== null);
    await Promise.all(
      refused.map((member) => {
        if (member.refused?.refusal === null) return this.#open(member.entry);
        return member.runtime === null ? this.#openUnread(member) : this.#admission.askAgain(member);
      }),
    );
    await this.#admission.settle();
  }

  /**
   * Takes the archive, which has just been opened and which nobody can read yet: from then on it decides which id belongs
   * to which entry. Rejects where it can't be read.
   */
  useArchive(repository: BindingRepository): Promise<void> {
    return this.#admission.useArchive(repository);
  }

  /**
   * Gives a refused entry the id that it claims. `seen` is what the person saw of it: throws AppError `conflict`, and
   * changes nothing, where that is no longer so.
   */
  accept(name: string, seen: ClusterRefusal): Promise<void> {
    return this.#admission.accept(name, seen);
  }

  /** To be called before the archive and the audit are closed. */
  async stop(): Promise<void> {
    this.#entries = [];
    this.#admission.stop();
    const members = this.#members;
    for (const member of members) this.#end(member);
    await Promise.all(this.#stopping);
  }

  /** Of one that was refused for another reason before, only the reason changes. */
  #refuse(member: Member, refusal: ClusterRefusal): void {
    const { log, onChange } = this.#options;
    const reason = refusalText(refusal);
    log.error('a cluster is not read', { cluster: member.entry.name, reason });
    const wasRead = member.refused === null;
    member.refused = { reason, since: Date.now(), refusal };
    onChange();
    if (!wasRead) return;
    this.#endRuntime(member);
    void this.#openUnread(member);
  }

  #add(entry: ClusterEntry): void {
    const unknown = {
      runtime: null,
      claim: null,
      claimedMs: 0,
      adoptedId: null,
      answer: null,
      refused: null,
    };
    const position = ({ entry: { name } }: Member) => this.#entries.findIndex((each) => each.name === name);
    this.#members = [...this.#members, { entry, ...unknown }].sort((a, b) => position(a) - position(b));
  }

  /** Starts to read an entry, of which there is no runtime. */
  async #open(entry: ClusterEntry): Promise<void> {
    const { log, start, onChange } = this.#options;
    const member = this.#members.find((each) => each.entry === entry);
    if (member === undefined) return;
    try {
      const runtime = await this.#make(entry);
      // The configuration may have changed meanwhile.
      if (!this.#members.includes(member) || member.runtime !== null) return;
      Object.assign(member, { runtime, refused: null });
      this.#admission.guess(member);
      start(runtime);
    } catch (error) {
      if (!this.#members.includes(member)) return;
      const reason = configReasonOf(error);
      if (member.refused?.reason === reason) return;
      log.error('a cluster can not be read', { cluster: entry.name, reason });
      member.refused = { reason, since: Date.now(), refusal: null };
    }
    onChange();
  }

  /** Of one that is refused: it is asked who it is, and nothing else of it is read. */
  async #openUnread(member: Member): Promise<void> {
    try {
      const runtime = await this.#make(member.entry);
      const isNeeded = this.#members.includes(member) && member.refused !== null && member.runtime === null;
      if (!isNeeded) return this.#stop(runtime);
      member.runtime = runtime;
      void this.#admission.settle();
    } catch (error) {
      this.#options.log.warn('a cluster can not be asked who it is', {
        cluster: member.entry.name,
        reason: configReasonOf(error),
      });
    }
  }

  async #make(entry: ClusterEntry): Promise<ClusterRuntime> {
    const confirm = async (found: FoundIdentity) => {
      const member = this.#members.find((each) => each.runtime === runtime);
      return member && this.#admission.confirm(member, found);
    };
    const runtime: ClusterRuntime = await this.#options.open(entry, this.isListed ? confirm : undefined);
    return runtime;
  }

  /** It answers once more who it is, before anything is read under its id. */
  #readAgain(member: Member): void {
    const { runtime, entry } = member;
    if (runtime === null) return;
    Object.assign(member, { refused: null, claim: null });
    this.#admission.guess(member);
    this.#options.log.info('a cluster is read again', { cluster: entry.name });
    this.#options.start(runtime);
    this.#options.onChange();
  }

  #end(member: Member): void {
    this.#members = this.#members.filter((each) => each !== member);
    this.#endRuntime(member);
  }

  #endRuntime(member: Member): void {
    const { runtime, answer } = member;
    answer?.(undefined);
    Object.assign(member, { runtime: null, answer: null });
    if (runtime !== null) this.#stop(runtime);
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
      this.all.find(({ entry }) => entry.name === text) ??
      this.all.find(({ cluster }) => cluster.identity.id === text) ??
      this.all.find(({ entry }) => entry.formerNames.includes(text))
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
    const known = this.all.map(({ entry, cluster }) => ({ id: cluster.identity.id, name: entry.name }));
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
      ? isLongSinceStart || this.all.some(({ cluster }) => cluster.ready)
      : this.all.every(({ cluster }) => cluster.ready);
    // Anyone may ask, so it names no cluster.
    const waitingFor = new Set(
      this.all
        .flatMap(({ cluster }) => cluster.cache.states())
        .filter(({ synced }) => !synced)
        .map(({ resource }) => resource),
    );
    if (!isArchiveTried) waitingFor.add('archive');
    return { ready: ready && isArchiveTried, waitingFor: [...waitingFor] };
  }

  /** An action on an object of any of them. */
  async action(person: Person, id: string): Promise<Answer<typeof actionSchema>> {
    const owns = await Promise.all(this.all.map(({ actions }) => actions.owns(id)));
    const owner = this.all[Math.max(0, owns.indexOf(true))];
    if (owner === undefined) throw new AppError('not_found', `Action ${id} not found.`);
    return owner.actions.get(owner.viewerOf(person), id);
  }

  latestActions(): Action[] {
    return this.all.flatMap(({ actions }) => actions.latest());
  }

  async visibleKeys(person: Person, keys: readonly StreamKey[]): Promise<StreamKey[]> {
    const visible = await Promise.all(
      this.all.map((each) => visibleKeys(each.cluster, each.viewerOf(person), keys)),
    );
    return visible.flat();
  }

  streamState(person: Person): StreamState {
    const states = this.all.map((each) => [each.cluster.identity.id, each.connectionFor(person)] as const);
    return { clusters: Object.fromEntries(states) };
  }
}
