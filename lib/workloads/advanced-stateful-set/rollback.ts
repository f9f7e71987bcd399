import { advancedStatefulSetRules } from '@/lib/workloads/advanced-stateful-set/strategy';
import { type Planned, type RollbackInput } from '@/lib/workloads/kind';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { checkClaimTemplates } from '@/lib/workloads/stateful-set/rollback';

/** Return of an Advanced StatefulSet; what belongs to the claims has no history, as with a StatefulSet. */
export function planAdvancedStatefulSetRollback(input: RollbackInput): Planned {
  return planKruiseRollback(advancedStatefulSetRules, input, {
    findings: checkClaimTemplates(input),
    stays: ['Volume claim templates, claims and the data on them stay; they have no history.'],
  });
}
