import type { z } from 'zod';
import type { eventSchema } from '@/lib/api/pods';
import type { Immutable } from '@/lib/immutable';
import type { WorkloadKind } from '@/lib/workloads/kind';
import type { Template, RevisionSource, Workload } from '@/lib/history/workload';
import type { PodSummary } from '@/lib/history/pod';

/** An event as the cache keeps it, bounded per object and in total. */
export interface EventSummary extends Immutable<z.infer<typeof eventSchema>> {
  uid: string;
  namespace: string;
  object: { kind: string; name: string; uid: string };
}

/** State of one watched resource, for partial answers. */
export interface ResourceState {
  resource: string;
  synced: boolean;
  /** Null while the resource is read; else why it can't be, for people. */
  problem: string | null;
  /**
   * Set while it can be read but not followed: what a page shows of it is as of `since`, in milliseconds
   * since the epoch.
   */
  behind?: Behind;
}

export interface Behind {
  readonly since: number;
  /** A sentence for people. */
  readonly reason: string;
}

/**
 * The current state of the cluster. Reads are synchronous and never do work in proportion to the fleet,
 * except {@link workloads}. Returned objects are shared: never change them.
 */
export interface ClusterCache {
  /** Every kind of workload that may occur now: those of the table, and those discovered in this cluster. */
  kinds(): readonly WorkloadKind[];
  kindOf(resource: string): WorkloadKind | undefined;
  workloads(): Iterable<Workload>;
  workload(resource: string, namespace: string, name: string): Workload | undefined;
  /**
   * Workloads that a controller created as children of this one, such as the canary of a Deployment or the
   * StatefulSets of a LeaderWorkerSet, also those of an earlier workload of this name. They have sources and
   * pods of their own, and are not among {@link workloads}.
   */
  childrenOf(workload: Workload): readonly Workload[];
  /** Source objects controlled by the workload's uid. */
  sourcesOf(workload: Workload): readonly RevisionSource[];
  /** Objects of the kind's source resource without controller, in the workload's namespace, that match its selector. */
  orphansOf(workload: Workload): readonly RevisionSource[];
  /** Pods controlled by the workload, by its source objects or by its children. */
  podsOf(workload: Workload): readonly PodSummary[];
  /** ControllerRevisions that are labeled with a component of KubeVela, whatever their owner. */
  revisionsOfComponent(namespace: string, component: string): readonly RevisionSource[];
  /** What presents a source object that no kind of the table reads; undefined for others. */
  workloadOfSource(source: RevisionSource): Workload | undefined;
  eventsOf(uid: string): readonly EventSummary[];
  /** Undefined when it was deleted, or cannot be read. */
  template(bodyId: string): Template | undefined;
  /** Why the template of a revision cannot be read, one sentence for people; null where it can. */
  templateProblem(bodyId: string): string | null;
  /** Whether the id is of a compressed text, and not of the template in it. */
  isPacked(bodyId: string): boolean;
  /** For one namespace, or the whole view: reads may be forbidden in one namespace only. */
  states(namespace?: string): readonly ResourceState[];
  /** Increases with every change of this workload, its sources or its pods. */
  versionOf(workload: Workload): number;
}

/** One changed workload. Emitted at most once per turn of the event loop and workload. */
export interface WorkloadKey {
  resource: string;
  namespace: string;
  name: string;
  uid: string;
  /** Its deletion leaves its pods and revisions. Absent: it does not. */
  leavesDependents?: boolean | undefined;
}
