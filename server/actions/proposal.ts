import { type Finding, type Plan } from '@/lib/workloads/plan';
import { type JsonObject } from '@/lib/kube/json';
import { type RollbackTarget } from '@/lib/workloads/rollback-target';
import { type DiffSide } from '@/server/actions/diff';
import { type CurrentWorkload } from '@/server/actions/current-workload';
import { type Expectation } from '@/server/audit/audit';

/** An action that has been planned on the current state, and not been checked against the API server yet. */
export interface Proposal {
  current: CurrentWorkload;
  /** Null when a finding rejects it. */
  plan: Plan | null;
  findings: readonly Finding[];
  /** The other checks that can run beforehand. */
  preflight: () => Promise<Finding[]>;
  /**
   * The template after the write: known beforehand, or as the dry run answers; `untouched` when the action
   * does not change it.
   */
  after: { kind: 'known'; template: JsonObject } | { kind: 'answered' } | { kind: 'untouched' };
  /** The name of that template. */
  side: DiffSide;
  until: Expectation['until'];
  pod: Expectation['pod'];
  /** Rollback only. */
  to: { target: RollbackTarget; seen: string } | null;
}
