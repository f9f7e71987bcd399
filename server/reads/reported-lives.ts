import 'server-only';
import { type ReportedRollout } from '@/lib/ledger/report';
import { type Archive, type ArchivedRollout, type ArchivedWorkload } from '@/server/archive/archive';

/** The life of a workload whose rollouts are counted. */
interface ReportedLife {
  /** The same for every life of the workload. */
  workload: string;
  namespace: string;
  name: string;
  /** Its namespace or team; null where it has none. */
  group: string | null;
  /** Start of its rollout that came last. */
  startedMs: number;
}

export interface CountedRollout extends ReportedRollout {
  namespace: string;
  name: string;
  /**
   * Whether it had completed, and was followed by another one soon enough: only then can that have taken it back in
   * time. Otherwise `revertedMs` stays null.
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

  /**
   * Those that the viewer may see, `revertedMs` yet to be told; to be asked once of each rollout, latest start first.
   */
  async with(rollouts: readonly ArchivedRollout[], followedWithinMs: number): Promise<CountedRollout[]> {
    const lives = rollouts.map(({ workloadUid }) => this.#known.get(workloadUid));
    if (lives.includes(undefined)) {
      await this.#learn(rollouts.filter((_, index) => lives[index] === undefined));
      for (const [index, { workloadUid }] of rollouts.entries()) lives[index] = this.#known.get(workloadUid);
    }
    const counted: CountedRollout[] = [];
    for (const [index, rollout] of rollouts.entries()) {
      const life = lives[index];
      if (life != null) counted.push(countedOf(rollout, life, followedWithinMs));
    }
    return counted;
  }

  async #learn(rollouts: readonly ArchivedRollout[]): Promise<void> {
    const ids = new Map<string, string>();
    for (const { workloadUid, id } of rollouts) ids.set(workloadUid, id);
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

function countedOf(rollout: ArchivedRollout, life: ReportedLife, followedWithinMs: number): CountedRollout {
  const { id, startedMs, endedMs, outcome, isStartKnown, wasStuck, isReviewed, hasCause, isReturn } = rollout;
  const { workload, namespace, name, group } = life;
  const isFollowed =
    outcome === 'completed' && endedMs !== null && life.startedMs - endedMs <= followedWithinMs;
  life.startedMs = startedMs;
  return {
    id,
    workload,
    namespace,
    name,
    group,
    startedMs,
    endedMs,
    outcome,
    timed: isStartKnown,
    revertedMs: null,
    isFollowed,
    stuck: wasStuck,
    reviewed: isReviewed,
    hasCause,
    isReturn,
  };
}
