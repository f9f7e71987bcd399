import { type Revision } from '@/lib/history/revision';
import { type ReleaseRecord } from '@/lib/rollout/release-record';
import { type RolloutObject, type WorkloadFacts, type WorkloadTarget } from '@/lib/rollout/system';

export const recordStates = ['completed', 'running', 'neverCompleted', 'unknown'] as const;
export type RecordState = (typeof recordStates)[number];

/** What may be odd about a record that a system keeps. */
export const recordFindings = [
  'ghost',
  'pendingDead',
  'duplicate',
  'reusedId',
  'rollback',
  'withoutPods',
  'withoutRoute',
  'unknownPhase',
  'rolloutGone',
  'idMismatch',
  'planChanged',
  'unlabelled',
  'shiplog',
] as const;

export interface RecordFinding {
  code: (typeof recordFindings)[number];
  /** A sentence. */
  text: string;
}

export interface RecordInput<T extends RolloutObject = RolloutObject> {
  record: ReleaseRecord;
  /** All records of the same rollout, this one included. */
  siblings: readonly ReleaseRecord[];
  rollout: { state: 'found'; object: T } | { state: 'missing' } | { state: 'unknown' };
  /** Of the workload that it is about; null where there is none, or none that Shiplog knows. */
  facts: WorkloadFacts | null;
}

/** The workload that a record is about, and what that is known from. */
export interface RecordTarget {
  target: WorkloadTarget;
  source: 'rolloutHistory' | 'rollout';
}

export interface RecordPicture {
  state: RecordState;
  /** Of the state, for people. */
  message: string;
  findings: readonly RecordFinding[];
  /** The revision of the workload that it is about, by its template or by its id. */
  revision: { revision: Revision; source: 'revisions' | 'labels' } | null;
}
