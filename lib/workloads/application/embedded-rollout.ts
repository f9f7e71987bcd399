import { isApplicationBody } from '@/lib/kube/application-body';
import { type JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/workloads/read';
import { type Template, type Workload } from '@/lib/workloads/workload';

/**
 * A rollout in batches that is written into the Application itself, as KubeVela 1.0 and 1.1 had it, with what was noted of it
 * last; none in one that has no such plan.
 * https://github.com/kubevela/kubevela/blob/v1.1.13/apis/core.oam.dev/v1beta1/application_types.go
 */
export function tellEmbeddedRollout({ status }: Pick<Workload, 'status'>, present: Template): string[] {
  const plan = isApplicationBody(present) ? objectAt(present.application, 'rolloutPlan') : undefined;
  const noted = objectAt(status, 'rollout');
  if (plan === undefined && noted === undefined) return [];
  const standing = noted === undefined ? '' : ` Noted last: ${standingOf(noted, plan)}.`;
  return [
    `It carries a plan to roll it out in batches, which KubeVela 1.0 and 1.1 went by and no later version does.${standing}`,
  ];
}

function standingOf(noted: JsonObject, plan: JsonObject | undefined): string {
  const batch = numberAt(noted, 'currentBatch');
  const total = objectsAt(plan, 'rolloutBatches').length;
  const batches = total === 0 ? '' : ` of ${total}`;
  return [
    textAt(noted, 'rollingState') ?? 'no state',
    ...(batch === undefined ? [] : [`batch ${batch + 1}${batches}`]),
    textAt(noted, 'batchRollingState') ?? '',
  ]
    .filter(Boolean)
    .join(', ');
}
