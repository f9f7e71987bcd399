/**
 * What the object of every system contains, as the cache stores it. A system's own type adds what its rules
 * need.
 */

import type { ConditionItem } from '@/lib/api/common';
import type { RevisionHistory } from '@/lib/history/revision';
import type { PodSummary } from '@/lib/history/pod';
import type { RevisionSource, Workload } from '@/lib/history/workload';

export interface RolloutObject {
  resource: string;
  /** API version in which it was read and is written. */
  version: string;
  uid: string;
  namespace: string;
  name: string;
  resourceVersion: string;
  generation: number;
  /** The generation that the controller has observed; null where it has observed none. */
  observedGeneration: number | null;
  createdAt: string;
  deletedAt: string | null;
  workload: WorkloadTarget;
  /** Related objects of the same namespace, by name. */
  relatedObjects: readonly { resource: string; name: string }[];
  /** Other workloads of the same namespace that pods move from or to. */
  others: readonly { resource: string; name: string }[];
  /** Whether a rollback to the stable revision is another progressive rollout, and does not end this one at once. */
  rollsBackInSteps: boolean;
  /** The component whose recorded revisions it names; null where it names none. */
  component: string | null;
  /** Last writes outside of the status, and of the status, where managedFields show them. */
  specWrittenAt: string | null;
  statusWrittenAt: string | null;
  conditions: readonly ConditionItem[];
}

export interface WorkloadTarget {
  /** Null for a kind that Shiplog does not know. */
  resource: string | null;
  apiVersion: string;
  kind: string;
  name: string;
}

/** A related object that takes part in releases. */
export interface RelatedObject {
  resource: string;
  kind: string;
  uid: string;
  namespace: string;
  name: string;
  controllerUid: string | null;
  /** By its status. */
  phase: string | null;
  message: string | null;
}

/** The records of a component, and the history that shows them. */
export interface ComponentFacts {
  /** Null where no page shows its revisions. */
  history: { resource: string; name: string } | null;
  /** In no particular order. */
  revisions: readonly RevisionSource[];
}

/** A workload with everything that is derived from it. */
export interface RolloutFacts {
  workload: Workload;
  history: RevisionHistory;
  pods: readonly PodSummary[];
  desired: number;
}
