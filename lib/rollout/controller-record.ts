import type { ControllerRecordStep, RolloutHistoryItem } from '@/lib/api/rollout-histories';
import type { Revision } from '@/lib/history/revision';
import type { RolloutFacts, WorkloadTarget, RolloutObject } from '@/lib/rollout/rollout-facts';

/**
 * A record that a system itself keeps of a rollout, trimmed and bounded; see `openkruise/rollout-history.ts`
 * for the rules.
 */
export interface ControllerRecord {
  resource: string;
  uid: string;
  namespace: string;
  name: string;
  createdAt: string;
  deletedAt: string | null;
  /** Last write of its status, where managedFields show it. */
  completedAt: string | null;
  /** Null where its labels do not name it. */
  rollout: string | null;
  rolloutId: string | null;
  /** The system's own word; empty while it is not completed. */
  phase: string;
  /** By its content, which is filled in at the end; null before. */
  content: {
    rollout: string;
    rolloutId: string;
    workload: { apiVersion: string; kind: string; name: string; replicas: number | null } | null;
    /** Null where it holds no template. */
    templateId: string | null;
    images: readonly { container: string; image: string }[];
    service: string | null;
    ingress: string | null;
    httpRoute: string | null;
    plannedSteps: number | null;
  } | null;
  steps: readonly ControllerRecordStep[];
  /** Written by Shiplog itself: its id there. */
  ownRecord: string | null;
}

export interface ControllerRecordInput<T extends RolloutObject = RolloutObject> {
  record: ControllerRecord;
  /** All records of the same rollout, this one included. */
  siblings: readonly ControllerRecord[];
  rollout: { state: 'found'; object: T } | { state: 'missing' } | { state: 'unknown' };
  /** The workload that it is about; null where there is none, or none that Shiplog knows. */
  facts: RolloutFacts | null;
}

/** The workload of a record, and the evidence for it. */
export interface ControllerRecordTarget {
  target: WorkloadTarget;
  source: 'rolloutHistory' | 'rollout';
}

export interface ControllerRecordView extends Pick<RolloutHistoryItem, 'state' | 'message' | 'findings'> {
  /** The revision of the workload that it is about, by its template or by its id. */
  revision: { revision: Revision; source: 'revisions' | 'labels' } | null;
}
