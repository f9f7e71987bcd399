import { advancedStatefulSetRules } from '@/lib/workloads/advanced-stateful-set/strategy';
import { type PlanResult, type RollbackInput } from '@/lib/workloads/kind';
import { planKruiseRollback } from '@/lib/workloads/kruise/rollback';
import { checkClaimTemplates } from '@/lib/workloads/stateful-set/rollback';

/** Rollback of an Advanced StatefulSet; claim templates have no history, as with a StatefulSet. */
export function planAdvancedStatefulSetRollback(input: RollbackInput): PlanResult {
  return planKruiseRollback(advancedStatefulSetRules, input, {
    findings: checkClaimTemplates(input),
    stays: ['Volume claim templates, claims and their data are not rolled back.'],
  });
}
