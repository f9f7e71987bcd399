import 'server-only';
import type { ReportedRollout } from '@/lib/records/report';
import type { Archive } from '@/server/archive/archive';
import type { ArchivedRollout, ArchivedWorkload } from '@/server/archive/reports';

/** The incarnation of a workload whose rollouts are counted. */
interface ReportedIncarnation {
  /** The same for every incarnation of the workload. */
  workload: string;
  namespace: string;
  name: string;
  /** Its namespace or team; null where it has none. */
  group: string | null;
  /** Start of its latest rollout. */
  startedMs: number;
}

export interface CountedRollout extends ReportedRollout {
  namespace: string;
  name: string;
  /**
   * Whether it had completed, and was followed by another one soon enough: only that one can have reverted it in time.
   * Otherwise `revertedMs` stays null.
   */
  isFollowed: boolean;
}

/** How a report groups the rollouts of a cluster; a team is the value of a label. */
export type Grouping =
  { by: 'namespace' } | { by: 'team'; label: string } | { by: 'cluster'; name: string | null };

/** What a report needs of the workloads of a cluster: one read for each workload, not for each rollout. */
export class ReportedIncarnations {
  readonly #archive: Pick<Archive, 'reports' | 'workloads'>;
  readonly #cluster: string;
  readonly #mayRead: (workload: ArchivedWorkload) => Promise<boolean>;
  readonly #grouping: Grouping;
  /** By uid; null for those that the viewer can't see. */
  readonly #known = new Map<string, ReportedIncarnation | null>();

  constructor(
    archive: Pick<Archive, 'reports' | 'workloads'>,
    cluster: string,
    mayRead: (workload: ArchivedWorkload) => Promise<boolean>,
    grouping: Grouping,
  ) {
    this.#archive = archive;
    this.#cluster = cluster;
    this.#mayRead = mayRead;
    this.#grouping = grouping;
  }

  /** Those that the viewer can see, `revertedMs` not yet filled in; call once for each rollout, latest start first. */
  async countable(rollouts: readonly ArchivedRollout[], followedWithinMs: number): Promise<CountedRollout[]> {
    const incarnations = rollouts.map(({ workloadUid }) => this.#known.get(workloadUid));
    if (incarnations.includes(undefined)) {
      await this.#load(rollouts.filter((_, index) => incarnations[index] === undefined));
      for (const [index, { workloadUid }] of rollouts.entries())
        incarnations[index] = this.#known.get(workloadUid);
    }
    const counted: CountedRollout[] = [];
    for (const [index, rollout] of rollouts.entries()) {
      const incarnation = incarnations[index];
      if (incarnation != null) counted.push(countedOf(rollout, incarnation, followedWithinMs));
    }
    return counted;
  }

  async #load(rollouts: readonly ArchivedRollout[]): Promise<void> {
    const ids = new Map<string, string>();
    for (const { workloadUid, id } of rollouts) ids.set(workloadUid, id);
    const workloads = await this.#archive.reports.workloads([...ids.values()]);
    const groupOf = await this.#groups([...ids.keys()]);
    for (const [uid, workload] of workloads) {
      const { cluster, resource, namespace, name } = workload;
      const incarnation = {
        workload: `${cluster}/${resource}/${namespace}/${name}`,
        namespace,
        name,
        group: groupOf(uid, namespace),
        startedMs: Infinity,
      };
      this.#known.set(uid, (await this.#mayRead(workload)) ? incarnation : null);
    }
  }

  async #groups(uids: readonly string[]): Promise<(uid: string, namespace: string) => string | null> {
    const grouping = this.#grouping;
    switch (grouping.by) {
      case 'namespace':
        return (_, namespace) => namespace;
      case 'cluster':
        return () => grouping.name;
      case 'team': {
        const labels = await this.#archive.workloads.labels(this.#cluster, uids);
        return (uid) => labels.get(uid)?.[grouping.label] ?? null;
      }
      default:
        return grouping satisfies never;
    }
  }
}

function countedOf(
  rollout: ArchivedRollout,
  incarnation: ReportedIncarnation,
  followedWithinMs: number,
): CountedRollout {
  const { id, startedMs, endedMs, outcome, isStartKnown, wasStuck, isReviewed, hasCause, isReturn } = rollout;
  const { workload, namespace, name, group } = incarnation;
  const isFollowed =
    outcome === 'completed' && endedMs !== null && incarnation.startedMs - endedMs <= followedWithinMs;
  incarnation.startedMs = startedMs;
  return {
    id,
    workload,
    namespace,
    name,
    group,
    startedMs,
    endedMs,
    outcome,
    isStartKnown,
    revertedMs: null,
    isFollowed,
    stuck: wasStuck,
    reviewed: isReviewed,
    hasCause,
    isReturn,
  };
}
