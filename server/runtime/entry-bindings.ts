import 'server-only';
import { AppError } from '@/lib/errors';
import { isoTime } from '@/lib/format/time';
import type { BoundEntry } from '@/lib/api/archived-cluster';
import type { ClusterRepository, ClusterRow } from '@/server/archive/clusters';
import { boundRow, type ClusterClaim, keyOfEntry } from '@/server/runtime/cluster-claims';
import type { ClusterEntry } from '@/server/shared/cluster-entry';

export type BindingRepository = Pick<ClusterRepository, 'list' | 'bind'>;

/** Which id belongs to which entry of the configuration, as the archive has it; all processes share it. */
export class EntryBindings {
  #repository: BindingRepository | null = null;
  #rows: readonly ClusterRow[] = [];

  /** The archive is open. Rejects, and stays without, where it can't be read. */
  async attach(repository: BindingRepository): Promise<void> {
    this.#rows = await repository.list();
    this.#repository = repository;
  }

  /** Whether the archive has been opened. */
  get isOpen(): boolean {
    return this.#repository !== null;
  }

  /** As last read; empty before the archive is open. */
  get rows(): readonly ClusterRow[] {
    return this.#rows;
  }

  /** Reads what other processes have bound. Rejects where the archive can't be read; what is known stays. */
  async load(): Promise<void> {
    if (this.#repository !== null) this.#rows = await this.#repository.list();
  }

  of(entry: ClusterEntry, names: ReadonlySet<string>): BoundEntry | undefined {
    return boundRow(entry, this.#rows, names)?.entry;
  }

  /**
   * Notes that the id belongs to the entry, at this address. Returns what it was bound to before, null where it was to
   * none. Throws AppError `conflict` where another process has bound it meanwhile.
   */
  async bind(id: string, entry: ClusterEntry, { hash, server }: ClusterClaim): Promise<BoundEntry | null> {
    if (this.#repository === null)
      throw new AppError('archive_unavailable', 'Nothing was changed: the archive is not open.');
    const before = this.#rows.find((row) => row.id === id)?.entry ?? null;
    // Later than all others, whatever the clock of the process that wrote them: the latest of an entry counts.
    const nowMs = Math.max(Date.now(), ...this.#rows.map((row) => Date.parse(row.entry?.at ?? '') + 1 || 0));
    const bound = { ...keyOfEntry(entry), at: isoTime(nowMs), server, hash, moved: null };
    const isBound = await this.#repository.bind(
      id,
      { ...bound, moved: movedFrom(before, bound) },
      before,
      nowMs,
    );
    await this.load();
    if (isBound) return before;
    throw new AppError(
      'conflict',
      'Nothing was changed: another process has changed meanwhile which entry the id belongs to. Look at it again.',
    );
  }
}

function movedFrom(before: BoundEntry | null, { source, hash, at }: BoundEntry): BoundEntry['moved'] {
  if (before?.source !== source) return null;
  return before.hash === hash ? before.moved : { at, from: before.server };
}
