import { type WorkloadKind } from '@/lib/workloads/kind';
import { type Template, type RevisionSource, type Workload } from '@/lib/workloads/workload';
import { type PodSummary } from '@/lib/workloads/pod';

/** An event as the cache keeps it, bounded per object and in total. */
export interface EventSummary {
  uid: string;
  namespace: string;
  type: string;
  reason: string;
  message: string;
  count: number;
  first: string | null;
  last: string | null;
  object: { kind: string; name: string; uid: string };
}

/** State of one watched resource, for partial answers. */
export interface ResourceState {
  resource: string;
  synced: boolean;
  /** Null while all is well; else why the resource can't be read, for people. */
  problem: string | null;
  /** Set while it can be read but not followed: what is shown of it is as of `since`, in milliseconds since the epoch. */
  behind?: Behind;
}

export interface Behind {
  readonly since: number;
  /** A sentence for people. */
  readonly reason: string;
}

/**
 * What is known of the cluster right now. Reads are synchronous and never do work in proportion to the fleet,
 * except {@link workloads}. Returned objects are shared: never change them.
 */
export interface ClusterCache {
  /** Every kind of workload that there may be now: those of the table, and those that were found in this cluster. */
  kinds(): readonly WorkloadKind[];
  kindOf(resource: string): WorkloadKind | undefined;
  workloads(): Iterable<Workload>;
  workload(resource: string, namespace: string, name: string): Workload | undefined;
  /**
   * Workloads that a controller made as parts of this one, such as the canary of a Deployment or the StatefulSets of a
   * LeaderWorkerSet, also those of an earlier workload of this name. They have sources and pods of their own, and are not among {@link workloads}.
   */
  partsOf(workload: Workload): readonly Workload[];
  /** Source objects controlled by the workload's uid. */
  sourcesOf(workload: Workload): readonly RevisionSource[];
  /** Source objects of the kind's source resource without controller, in the workload's namespace, that match its selector. */
  orphansOf(workload: Workload): readonly RevisionSource[];
  /** Pods controlled by the workload, by its source objects or by its parts. */
  podsOf(workload: Workload): readonly PodSummary[];
  /** ControllerRevisions that are labelled with a component of KubeVela, whoever owns them. */
  revisionsOfComponent(namespace: string, component: string): readonly RevisionSource[];
  /** What shows a source object that no kind of the table reads; undefined for others. */
  historyOf(source: RevisionSource): Workload | undefined;
  eventsOf(uid: string): readonly EventSummary[];
  /** Undefined when it is gone, or cannot be read. */
  template(bodyId: string): Template | undefined;
  /** Why the template of a revision cannot be read, one sentence for people; null where it can. */
  unreadable(bodyId: string): string | null;
  /** As regards one namespace, or the whole view: a part of it may be refused while the rest is well. */
  states(namespace?: string): readonly ResourceState[];
  /** Rises with every change of this workload, its sources or its pods. */
  versionOf(workload: Workload): number;
}

/** One changed workload. Emitted at most once per turn of the event loop and workload. */
export interface WorkloadKey {
  resource: string;
  namespace: string;
  name: string;
  uid: string;
}
