import { isApplicationBody } from '@/lib/kube/application-body';
import { type JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';
import { type Template, type Workload } from '@/lib/history/workload';

/**
 * A rollout in batches that the Application itself contains, as in KubeVela 1.0 and 1.1, with its last
 * reported progress; none without such a plan.
 * https://github.com/kubevela/kubevela/blob/v1.1.13/apis/core.oam.dev/v1beta1/application_types.go
 */
export function describeEmbeddedRollout(
  { status }: Pick<Workload, 'status'>,
  currentTemplate: Template,
): string[] {
  const plan = isApplicationBody(currentTemplate)
    ? objectAt(currentTemplate.application, 'rolloutPlan')
    : undefined;
  const rolloutStatus = objectAt(status, 'rollout');
  if (plan === undefined && rolloutStatus === undefined) return [];
  const stateText =
    rolloutStatus === undefined ? '' : ` Last reported state: ${formatRolloutState(rolloutStatus, plan)}.`;
  return [`It has a rollout plan in batches, which only KubeVela 1.0 and 1.1 use.${stateText}`];
}

function formatRolloutState(rolloutStatus: JsonObject, plan: JsonObject | undefined): string {
  const batch = numberAt(rolloutStatus, 'currentBatch');
  const total = objectsAt(plan, 'rolloutBatches').length;
  const batches = total === 0 ? '' : ` of ${total}`;
  return [
    textAt(rolloutStatus, 'rollingState') ?? 'unknown',
    ...(batch === undefined ? [] : [`batch ${batch + 1}${batches}`]),
    textAt(rolloutStatus, 'batchRollingState') ?? '',
  ]
    .filter(Boolean)
    .join(', ');
}
