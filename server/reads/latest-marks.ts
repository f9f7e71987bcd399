import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { markOfRecord, type RecordMark } from '@/lib/ledger/mark';
import { type RolloutRecord } from '@/lib/ledger/record';
import { type Archive } from '@/server/archive/archive';

type Source = Pick<Archive, 'latestMarks' | 'changedMarks'>;

/** What SQLite reads at a time, with everything else having its turn in between. */
const PAGE = 100;

/** Rollouts begin in the archive a moment after they began in the cluster, or much later where nobody watched. */
const OVERLAP_MS = 3_600_000;

/**
 * The last record of every workload that exists, so that a list of ten thousand asks the archive for none. Read once;
 * then told by the recorder of this process, or followed where another one records.
 */
export class LatestMarks {
  readonly #marks = new Map<string, RecordMark>();
  /** Of which cluster they are; null before they have been read. */
  #cluster: string | null = null;
  #loading: { touched: Set<string> } | null = null;

  /** By the uid of the workload. The same object as long as nothing has changed. */
  of(uid: string): RecordMark | undefined {
    return this.#marks.get(uid);
  }

  forget(uid: string): void {
    this.#marks.delete(uid);
  }

  /** Takes what has just been recorded; true where that says anything new. */
  take(records: readonly RolloutRecord[]): boolean {
    for (const { workload } of records) this.#loading?.touched.add(workload.uid);
    return records.map((record) => this.#put(markOfRecord(record))).some(Boolean);
  }

  /**
   * Brings everything up to date with the archive; returns the uids of which something new is known. Without `isFollowing`
   * only the first time for a cluster: what is recorded later comes by `take`.
   */
  async refresh(archive: Source, cluster: string, isFollowing: boolean): Promise<string[]> {
    if (this.#loading !== null) return [];
    if (this.#cluster === cluster && !isFollowing) return [];
    this.#loading = { touched: new Set() };
    try {
      if (this.#cluster === cluster) return this.#absorb(await this.#changed(archive, cluster));
      return await this.#load(archive, cluster);
    } finally {
      this.#loading = null;
    }
  }

  async #load(archive: Source, cluster: string): Promise<string[]> {
    const changed: string[] = [];
    let page: RecordMark[];
    let after = '';
    do {
      page = await archive.latestMarks(cluster, after, PAGE);
      changed.push(...this.#absorb(page));
      after = page.at(-1)?.uid ?? after;
      await nextTurn();
    } while (page.length === PAGE);
    this.#cluster = cluster;
    return changed;
  }

  #changed(archive: Source, cluster: string): Promise<RecordMark[]> {
    const marks = [...this.#marks.values()];
    const starts = marks.map(({ startedAt, startedNotAfter }) =>
      Date.parse(startedAt ?? startedNotAfter ?? ''),
    );
    const sinceMs = starts.reduce((latest, ms) => (ms > latest ? ms : latest), OVERLAP_MS) - OVERLAP_MS;
    const open = marks.filter(({ outcome }) => outcome === null).map(({ id }) => id);
    return archive.changedMarks(cluster, sinceMs, open);
  }

  /** What was recorded meanwhile is newer than what was read. */
  #absorb(marks: readonly RecordMark[]): string[] {
    const touched = this.#loading?.touched;
    return marks.filter((mark) => touched?.has(mark.uid) !== true && this.#put(mark)).map(({ uid }) => uid);
  }

  #put(mark: RecordMark): boolean {
    const known = this.#marks.get(mark.uid);
    if (known !== undefined && known.activation > mark.activation) return false;
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(mark)) return false;
    this.#marks.set(mark.uid, mark);
    return true;
  }
}
