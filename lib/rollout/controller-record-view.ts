import type { RolloutHistoryItem } from '@/lib/api/rollout-histories';
import type { Revision } from '@/lib/history/revision';
import type { ControllerRecord } from '@/lib/rollout/controller-record';
import type { RolloutFacts, WorkloadTarget, RolloutObject } from '@/lib/rollout/rollout-facts';

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
