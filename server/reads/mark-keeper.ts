import 'server-only';
import { type StreamKey } from '@/lib/api/cluster';
import { type Archive, type Recording } from '@/server/archive/archive';
import { type Cluster } from '@/server/cluster/cluster';
import { type Logger } from '@/server/log';
import { type LatestMarks } from '@/server/reads/latest-marks';

export interface MarkKeeperOptions {
  marks: LatestMarks;
  cluster: Pick<Cluster, 'identity' | 'ready' | 'cache'>;
  archive: () => Archive | null;
  /** This process records, so that `onRecorded` tells everything. */
  isRecording: () => boolean;
  publish: (keys: readonly StreamKey[]) => void;
  log: Logger;
}

/** Keeps the latest marks, and has pages fetch again of which something new was recorded. */
export class MarkKeeper {
  readonly #options: MarkKeeperOptions;
  #problem: string | null = null;

  constructor(options: MarkKeeperOptions) {
    this.#options = options;
  }

  /** To be told of what is in the archive from now on. */
  onRecorded(recordings: readonly Recording[]): void {
    const { marks, publish } = this.#options;
    const news = recordings.filter(({ revisions, activations, records }) => {
      const isNew = marks.take(records);
      return isNew || revisions.length + activations.length > 0;
    });
    publish(
      news.map(({ life: { cluster, resource, namespace, name } }) => ({
        cluster,
        resource,
        namespace,
        name,
      })),
    );
  }

  /** To be called at the start, now and then, and when another process begins or ends to record. */
  async refresh(): Promise<void> {
    const { marks, cluster, archive: archiveOf, isRecording, publish, log } = this.#options;
    const archive = archiveOf();
    if (archive === null || !cluster.ready) return;
    try {
      const { id } = cluster.identity;
      const changed = new Set(await marks.refresh(archive, id, !isRecording()));
      this.#problem = null;
      if (changed.size === 0) return;
      const workloads = [...cluster.cache.workloads()].filter(({ uid }) => changed.has(uid));
      publish(workloads.map(({ resource, namespace, name }) => ({ cluster: id, resource, namespace, name })));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      if (this.#problem !== reason) log.warn('the last rollouts cannot be read from the archive', { reason });
      this.#problem = reason;
    }
  }
}
