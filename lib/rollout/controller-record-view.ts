import { type ControllerRecordState, type controllerRecordFindings } from '@/lib/api/rollout-values';
import { type Revision } from '@/lib/history/revision';
import { type ControllerRecord } from '@/lib/rollout/controller-record';
import { type WorkloadFacts, type WorkloadTarget, type RolloutObject } from '@/lib/rollout/rollout-facts';

export interface ControllerRecordFinding {
  code: (typeof controllerRecordFindings)[number];
  /** A sentence. */
  text: string;
}

export interface ControllerRecordInput<T extends RolloutObject = RolloutObject> {
  record: ControllerRecord;
  /** All records of the same rollout, this one included. */
  siblings: readonly ControllerRecord[];
  rollout: { state: 'found'; object: T } | { state: 'missing' } | { state: 'unknown' };
  /** The workload that it is about; null where there is none, or none that Shiplog knows. */
  facts: WorkloadFacts | null;
}

/** The workload of a record, and the evidence for it. */
export interface ControllerRecordTarget {
  target: WorkloadTarget;
  source: 'rolloutHistory' | 'rollout';
}

export interface ControllerRecordView {
  state: ControllerRecordState;
  /** Of the state, for display. */
  message: string;
  findings: readonly ControllerRecordFinding[];
  /** The revision of the workload that it is about, by its template or by its id. */
  revision: { revision: Revision; source: 'revisions' | 'labels' } | null;
}
