import 'server-only';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { RecordSummary } from '@/lib/api/record-summary';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import type { RolloutRecord } from '@/lib/api/record';
import type { RolloutRepository } from '@/server/archive/rollouts';
import type { StreamKey } from '@/lib/api/cluster';
import type { Archive, IncarnationRecording } from '@/server/archive/archive';
import type { Cluster } from '@/server/cluster/cluster';
import type { Logger } from '@/server/shared/log';
import { messageOf } from '@/lib/errors';

type Source = Pick<RolloutRepository, 'latestSummaries' | 'changedSummaries'>;

/** What SQLite reads at a time, with other work in between. */
const PAGE_SIZE = 100;

/** The archive records a rollout a moment after it began, or much later where it was not observed. */
const OVERLAP_MS = 3_600_000;

/**
 * The last record of every workload that exists, so that a list of ten thousand needs no read of the archive. Read
 * once; then updated by the recorder of this process, or followed where another process records.
 */
export class LatestRecordSummaries {
  readonly #summaries = new Map<string, RecordSummary>();
  /** The cluster that they are of; null before they have been read. */
  #cluster: string | null = null;
  #loading: { touched: Set<string> } | null = null;

  /** By the uid of the workload. The same object until something changes. */
  of(uid: string): RecordSummary | undefined {
    return this.#summaries.get(uid);
  }

  forget(uid: string): void {
    this.#summaries.delete(uid);
  }

  /** Takes over what has just been recorded; returns whether that changes anything. */
  update(records: readonly RolloutRecord[]): boolean {
    for (const { workload } of records) this.#loading?.touched.add(workload.uid);
    return records.map((record) => this.#put(summarizeRecord(record))).some(Boolean);
  }

  /**
   * Updates everything from the archive; returns the uids whose summary has changed. Without `isFollowing` only the
   * first time for a cluster: later recordings come through `update`.
   */
  async refresh(rollouts: Source, cluster: string, isFollowing: boolean): Promise<string[]> {
    if (this.#loading !== null) return [];
    if (this.#cluster === cluster && !isFollowing) return [];
    this.#loading = { touched: new Set() };
    try {
      if (this.#cluster === cluster) return this.#merge(await this.#changed(rollouts, cluster));
      return await this.#load(rollouts, cluster);
    } finally {
      this.#loading = null;
    }
  }

  async #load(rollouts: Source, cluster: string): Promise<string[]> {
    const changed: string[] = [];
    let page: RecordSummary[];
    let after = '';
    do {
      page = await rollouts.latestSummaries(cluster, after, PAGE_SIZE);
      changed.push(...this.#merge(page));
      after = page.at(-1)?.uid ?? after;
      await nextTurn();
    } while (page.length === PAGE_SIZE);
    this.#cluster = cluster;
    return changed;
  }

  #changed(rollouts: Source, cluster: string): Promise<RecordSummary[]> {
    const summaries = [...this.#summaries.values()];
    const starts = summaries.map(({ startedAt, startedNotAfter }) =>
      Date.parse(startedAt ?? startedNotAfter ?? ''),
    );
    const sinceMs = starts.reduce((latest, ms) => (ms > latest ? ms : latest), OVERLAP_MS) - OVERLAP_MS;
    const open = summaries.filter(({ outcome }) => outcome === null).map(({ id }) => id);
    return rollouts.changedSummaries(cluster, sinceMs, open);
  }

  /** What was recorded meanwhile is newer than what was read. */
  #merge(summaries: readonly RecordSummary[]): string[] {
    const touched = this.#loading?.touched;
    return summaries
      .filter((summary) => touched?.has(summary.uid) !== true && this.#put(summary))
      .map(({ uid }) => uid);
  }

  #put(summary: RecordSummary): boolean {
    const known = this.#summaries.get(summary.uid);
    if (known !== undefined && known.activation > summary.activation) return false;
    if (known !== undefined && JSON.stringify(known) === JSON.stringify(summary)) return false;
    this.#summaries.set(summary.uid, summary);
    return true;
  }
}

export interface RecordSummaryUpdaterOptions {
  summaries: LatestRecordSummaries;
  cluster: Pick<Cluster, 'identity' | 'ready' | 'cache'>;
  archive: () => Pick<Archive, 'rollouts'> | null;
  /** This process records, so that `onRecorded` receives every change. */
  isRecording: () => boolean;
  publish: (keys: readonly StreamKey[]) => void;
  log: Logger;
}

/** Keeps the latest record summaries current, and makes pages fetch changed ones again. */
export class RecordSummaryUpdater {
  readonly #options: RecordSummaryUpdaterOptions;
  #problem: string | null = null;

  constructor(options: RecordSummaryUpdaterOptions) {
    this.#options = options;
  }

  /** Receives what the archive has just stored. */
  onRecorded(recordings: readonly IncarnationRecording[]): void {
    const { summaries, publish } = this.#options;
    const changedRecordings = recordings.filter(({ revisions, activations, records }) => {
      const isNew = summaries.update(records);
      return isNew || revisions.length + activations.length > 0;
    });
    publish(
      changedRecordings.map(({ incarnation: { cluster, resource, namespace, name } }) => ({
        cluster,
        resource,
        namespace,
        name,
      })),
    );
  }

  /** To be called at the start, periodically, and when another process starts or stops recording. */
  async refresh(): Promise<void> {
    const { summaries, cluster, archive: archiveOf, isRecording, publish, log } = this.#options;
    const archive = archiveOf();
    if (archive === null || !cluster.ready) return;
    try {
      const { id } = cluster.identity;
      const changed = new Set(await summaries.refresh(archive.rollouts, id, !isRecording()));
      this.#problem = null;
      if (changed.size === 0) return;
      const workloads = [...cluster.cache.workloads()].filter(({ uid }) => changed.has(uid));
      publish(workloads.map(({ resource, namespace, name }) => ({ cluster: id, resource, namespace, name })));
    } catch (error) {
      const reason = messageOf(error);
      if (this.#problem !== reason) log.warn('the last rollouts cannot be read from the archive', { reason });
      this.#problem = reason;
    }
  }
}
