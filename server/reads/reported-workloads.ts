import 'server-only';
import { type Archive, type ArchivedRollout, type ArchivedWorkload } from '@/server/archive/archive';

/** A workload whose rollouts are counted. */
export interface ReportedWorkload {
  /** The same for every life of it. */
  key: string;
  namespace: string;
  name: string;
  /** Its namespace or team; null where it has none. */
  group: string | null;
}

/** What a report needs of the workloads whose rollouts it counts: each is asked for once, not for every rollout. */
export class ReportedWorkloads {
  readonly #archive: Archive;
  readonly #mayRead: (workload: ArchivedWorkload) => Promise<boolean>;
  readonly #teamLabel: string | null;
  /** By uid; null for those that the viewer may not see. */
  readonly #known = new Map<string, ReportedWorkload | null>();
  /** Of each life, the start of the rollout that was asked about last. */
  readonly #lastStarts = new Map<string, number>();

  /** Grouped by the label, or by namespace where it is null. */
  constructor(
    archive: Archive,
    mayRead: (workload: ArchivedWorkload) => Promise<boolean>,
    teamLabel: string | null,
  ) {
    this.#archive = archive;
    this.#mayRead = mayRead;
    this.#teamLabel = teamLabel;
  }

  async learn(rollouts: readonly ArchivedRollout[]): Promise<void> {
    const ids = new Map<string, string>();
    for (const { workloadUid, id } of rollouts) if (!this.#known.has(workloadUid)) ids.set(workloadUid, id);
    if (ids.size === 0) return;
    const workloads = await this.#archive.workloadsOf([...ids.values()]);
    const teams = this.#teamLabel === null ? null : await this.#archive.labels([...ids.keys()]);
    for (const [uid, workload] of workloads) {
      const { cluster, resource, namespace, name } = workload;
      const key = `${cluster}/${resource}/${namespace}/${name}`;
      const group = this.#teamLabel === null ? namespace : (teams?.get(uid)?.[this.#teamLabel] ?? null);
      this.#known.set(uid, (await this.#mayRead(workload)) ? { key, namespace, name, group } : null);
    }
  }

  /** Null where the viewer may not see it. */
  of({ workloadUid }: ArchivedRollout): ReportedWorkload | null {
    return this.#known.get(workloadUid) ?? null;
  }

  /**
   * Ids of those that had completed and were followed by another rollout of their life within so much time: the only
   * ones that can have been taken back by then. To be asked once of each rollout, latest start first.
   */
  followed(rollouts: readonly ArchivedRollout[], withinMs: number): string[] {
    const ids: string[] = [];
    for (const { id, workloadUid, startedMs, endedMs, outcome } of rollouts) {
      const nextMs = this.#lastStarts.get(workloadUid) ?? Infinity;
      this.#lastStarts.set(workloadUid, startedMs);
      if (outcome === 'completed' && endedMs !== null && nextMs - endedMs <= withinMs) ids.push(id);
    }
    return ids;
  }
}
