import { type Finding, type Plan } from '@/lib/workloads/plan';
import { type JsonObject } from '@/lib/kube/json';
import { type RollbackTarget } from '@/lib/workloads/rollback-target';
import { type DiffSide } from '@/server/actions/diff';
import { type Present } from '@/server/actions/present';
import { type Expectation } from '@/server/audit';

/** An action that has been planned on what is there now, and not been checked against the API server yet. */
export interface Proposal {
  present: Present;
  /** Null when a finding refuses it. */
  plan: Plan | null;
  findings: readonly Finding[];
  /** What else can be known beforehand. */
  preflight: () => Promise<Finding[]>;
  /**
   * The template that will be there: known beforehand, or as the dry run answers; `untouched` when the action leaves
   * it alone.
   */
  after: { kind: 'known'; template: JsonObject } | { kind: 'answered' } | { kind: 'untouched' };
  /** How that template is called. */
  side: DiffSide;
  until: Expectation['until'];
  pod: Expectation['pod'];
  /** Rollback only. */
  to: { target: RollbackTarget; seen: string } | null;
}
