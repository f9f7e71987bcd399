import 'server-only';
import { isDeepStrictEqual } from 'node:util';
import type { BoundEntry } from '@/lib/api/archived-cluster';
import type { ClusterRefusal } from '@/lib/api/cluster';
import { AppError, messageOf } from '@/lib/errors';
import type { FoundIdentity } from '@/server/cluster/cluster-identity';
import { boundRow, type ClusterClaim, decide, type Decision, namesIn } from '@/server/runtime/cluster-claims';
import type { ClusterRuntime } from '@/server/runtime/cluster-runtime';
import { type BindingRepository, EntryBindings } from '@/server/runtime/entry-bindings';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import type { Logger } from '@/server/shared/log';

/** How long a new entry waits for others that may claim the same id. */
const OTHERS_MS = 20_000;
/** The archive may be busy, or away for a moment. */
const RETRY_MS = 2_000;

export interface MovedCluster {
  id: string;
  entry: ClusterEntry;
  /** Addresses. */
  from: string;
  to: string;
}

/** An entry of the configuration. */
export interface Member {
  entry: ClusterEntry;
  /** Of one that is refused it is not started. Null where there is none yet. */
  runtime: ClusterRuntime | null;
  claim: ClusterClaim | null;
  /** When it began to claim it, in milliseconds of the process. */
  claimedMs: number;
  /** The id under which it was read last; null before. */
  adoptedId: string | null;
  /** Answers the API server's claim; null where none waits. */
  answer: ((id: string | undefined) => void) | null;
  /** Null where it is read. */
  refused: { reason: string; since: number; refusal: ClusterRefusal | null } | null;
}

interface ClusterAdmissionOptions {
  /** All that are listed, in their order. */
  members: () => readonly Member[];
  /** Stops to read it. */
  refuse: (member: Member, refusal: ClusterRefusal) => void;
  /** Starts to read one that was refused. */
  read: (member: Member) => void;
  onMoved: ((moved: MovedCluster) => void) | undefined;
  log: Logger;
}

/** Decides which clusters are read, and under which id, by what they claim and by what belongs to which entry. */
export class ClusterAdmission {
  readonly #options: ClusterAdmissionOptions;
  readonly #bindings = new EntryBindings();
  #settling: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #loggedProblem: string | undefined;

  constructor(options: ClusterAdmissionOptions) {
    this.#options = options;
  }

  get #members(): readonly Member[] {
    return this.#options.members();
  }

  /** How the id of an entry moved to its present address; null where it never did. */
  movedOf(entry: ClusterEntry): BoundEntry['moved'] {
    return this.#bindings.of(entry, namesIn(this.#members))?.moved ?? null;
  }

  /**
   * Takes the archive, which has just been opened and which nobody can read yet: from then on it decides which id belongs
   * to which entry. Rejects where it can't be read.
   */
  async useArchive(repository: BindingRepository): Promise<void> {
    await this.#bindings.attach(repository);
    await this.settle();
  }

  /**
   * Gives a refused entry the id that it claims. `seen` is what the person saw of it: throws AppError `conflict`, and
   * changes nothing, where that is no longer so.
   */
  async accept(name: string, seen: ClusterRefusal): Promise<void> {
    await this.settle();
    const member = this.#members.find(({ entry }) => entry.name === name);
    const refusal = member?.refused?.refusal;
    if (member?.claim == null || refusal == null || !isDeepStrictEqual(refusal, seen))
      throw new AppError(
        'conflict',
        `Nothing was changed: ${name} no longer claims what the page showed. Look at it again.`,
      );
    await this.#bindings.bind(refusal.id, member.entry, member.claim);
    await this.settle();
  }

  /** Answers under which id a cluster is read, once that is decided; undefined where it is not to be read. */
  confirm(member: Member, { id, hash, isStated, server }: FoundIdentity): Promise<string | undefined> {
    const { promise, resolve } = Promise.withResolvers<string | undefined>();
    if (member.claim === null) member.claimedMs = performance.now();
    member.answer?.(undefined);
    Object.assign(member, { claim: { id, hash, isStated, server }, answer: resolve });
    void this.settle();
    return promise;
  }

  /** Asks one that is refused, of which nothing else is read, who it is by now. */
  async askAgain(member: Member): Promise<void> {
    const { runtime } = member;
    const found = await runtime?.cluster.readIdentity().catch(() => undefined);
    if (found === undefined || member.runtime !== runtime || member.refused === null) return;
    const { id, hash, isStated, server } = found;
    member.claim = { id, hash, isStated, server };
  }

  /** Decides which clusters are read, by what they claim and what belongs to others. Never rejects. */
  settle(): Promise<void> {
    this.#settling = this.#settling.then(() => this.#settleOnce());
    return this.#settling;
  }

  async #settleOnce(): Promise<void> {
    clearTimeout(this.#timer);
    const members = this.#members;
    if (members.length === 0) return;
    // What was read before still counts: an archive that is away for a moment must not keep clusters from being read.
    let isSettled = await this.#tried(() => this.#bindings.load());
    for (const member of members) this.guess(member);
    // First of all clusters: one that is refused must not be read beside the one that it claims to be.
    for (const member of members) this.#refuseFalse(member);
    for (const member of members) if (!(await this.#tried(() => this.#admit(member)))) isSettled = false;
    if (!isSettled) this.#timer = setTimeout(() => void this.settle(), RETRY_MS).unref();
  }

  /** Whether it succeeded, and did not resolve to false. Each reason of a failure is logged once. */
  async #tried(work: () => Promise<boolean | void>): Promise<boolean> {
    try {
      return (await work()) !== false;
    } catch (error) {
      const reason = messageOf(error);
      if (reason !== this.#loggedProblem)
        this.#options.log.warn('which entry a cluster belongs to is not stored', { reason });
      this.#loggedProblem = reason;
      return false;
    }
  }

  #decide(member: Member): Decision | null {
    const { claim } = member;
    if (claim === null) return null;
    const now = performance.now();
    const members = this.#members;
    const claimants = members.map((each) => ({
      ...each,
      isExpected: each.refused === null,
      isOverdue: now - each.claimedMs >= OTHERS_MS,
    }));
    const index = members.indexOf(member);
    const claimant = claimants[index];
    if (claimant === undefined) return null;
    return decide(Object.assign(claimant, { claim }), { all: claimants, rows: this.#bindings.rows });
  }

  #refuseFalse(member: Member): void {
    const decision = this.#decide(member);
    if (decision?.state !== 'refused') return;
    const { refusal } = decision;
    if (isDeepStrictEqual(member.refused?.refusal, refusal)) return;
    this.#options.refuse(member, refusal);
  }

  /** Returns false for one that has to wait. */
  async #admit(member: Member): Promise<boolean> {
    const decision = this.#decide(member);
    if (decision === null || decision.state === 'refused') return true;
    if (decision.state === 'waiting') return false;
    if (member.refused !== null) this.#options.read(member);
    else await this.#adopt(member, decision.id);
    return true;
  }

  async #adopt(member: Member, id: string): Promise<void> {
    const { entry, claim } = member;
    if (claim === null) return;
    if (this.#bindings.isOpen && !this.#isBound(member, id)) {
      const before = await this.#bindings.bind(id, entry, claim);
      if (before !== null && before.hash !== claim.hash)
        this.#options.onMoved?.({ id, entry, from: before.server, to: claim.server });
      // Meanwhile the configuration, or what it claims, may have changed.
      if (!this.#members.includes(member) || member.claim !== claim) return;
    }
    member.adoptedId = id;
    member.answer?.(id);
    member.answer = null;
  }

  /** Whether nothing is to be written: the id belongs to the entry, at this address, and it has no later one. */
  #isBound({ entry, claim }: Member, id: string): boolean {
    const { rows } = this.#bindings;
    const bound = rows.find((row) => row.id === id)?.entry;
    const current = boundRow(entry, rows, namesIn(this.#members));
    return current?.id === id && bound?.name === entry.name && bound.hash === claim?.hash;
  }

  /** Until the API server answers, an entry stands for the id that belongs to it, and for none of another entry. */
  guess({ entry, runtime }: Member): void {
    if (runtime?.cluster.identity.isGuessed !== true) return;
    const { rows } = this.#bindings;
    const own = boundRow(entry, rows, namesIn(this.#members))?.id;
    const { formerId } = runtime.cluster.identity;
    const isOfOther = rows.some((row) => row.id === formerId && row.entry !== null);
    runtime.cluster.guess(own ?? (isOfOther ? undefined : formerId));
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
