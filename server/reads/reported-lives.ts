import 'server-only';
import { type Archive, type ArchivedRollout, type ArchivedWorkload } from '@/server/archive/archive';

/** The life of a workload whose rollouts are counted. */
export interface ReportedLife {
  /** The same for every life of the workload. */
  workload: string;
  namespace: string;
  name: string;
  /** Its namespace or team; null where it has none. */
  group: string | null;
  /** Start of its rollout that came last. */
  startedMs: number;
}

export interface ReportedRollout {
  rollout: ArchivedRollout;
  life: ReportedLife;
  /**
   * Whether it had completed, and was followed by another one soon enough: only then can that have taken it back in time.
   */
  isFollowed: boolean;
}

/** What a report needs of the workloads whose rollouts it counts: each is asked for once, not for every rollout. */
export class ReportedLives {
  readonly #archive: Archive;
  readonly #mayRead: (workload: ArchivedWorkload) => Promise<boolean>;
  readonly #teamLabel: string | null;
  /** By uid; null for those that the viewer may not see. */
  readonly #known = new Map<string, ReportedLife | null>();

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

  /** Those that the viewer may see; to be asked once of each rollout, latest start first. */
  async with(rollouts: readonly ArchivedRollout[], followedWithinMs: number): Promise<ReportedRollout[]> {
    await this.#learn(rollouts);
    const reported: ReportedRollout[] = [];
    for (const rollout of rollouts) {
      const life = this.#known.get(rollout.workloadUid) ?? null;
      if (life === null) continue;
      const { outcome, startedMs, endedMs } = rollout;
      const isFollowed =
        outcome === 'completed' && endedMs !== null && life.startedMs - endedMs <= followedWithinMs;
      life.startedMs = startedMs;
      reported.push({ rollout, life, isFollowed });
    }
    return reported;
  }

  async #learn(rollouts: readonly ArchivedRollout[]): Promise<void> {
    const ids = new Map<string, string>();
    for (const { workloadUid, id } of rollouts) if (!this.#known.has(workloadUid)) ids.set(workloadUid, id);
    if (ids.size === 0) return;
    const workloads = await this.#archive.workloadsOf([...ids.values()]);
    const teams = this.#teamLabel === null ? null : await this.#archive.labels([...ids.keys()]);
    for (const [uid, workload] of workloads) {
      const { cluster, resource, namespace, name } = workload;
      const life = {
        workload: `${cluster}/${resource}/${namespace}/${name}`,
        namespace,
        name,
        group: this.#teamLabel === null ? namespace : (teams?.get(uid)?.[this.#teamLabel] ?? null),
        startedMs: Infinity,
      };
      this.#known.set(uid, (await this.#mayRead(workload)) ? life : null);
    }
  }
}
