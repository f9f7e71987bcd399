import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';
import { type Archive, type IncarnationRecording } from '@/server/archive/archive';
import { type Cluster } from '@/server/cluster/cluster';
import { type Logger } from '@/server/shared/log';
import { type LatestRecordSummaries } from '@/server/reads/latest-record-summaries';
import { messageOf } from '@/lib/errors';

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
