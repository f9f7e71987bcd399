import 'server-only';
import type { JsonObject } from '@/lib/kube/json';
import { podTemplatesOf } from '@/lib/kube/pod-templates';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/kube/read';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { finding, type Finding } from '@/lib/workloads/plan';
import { type CheckedTemplate, type CheckInput, listAs } from '@/server/actions/checks/check';

/** Autoscalers that also set the number of replicas. */
export async function checkAutoscaler(input: CheckInput): Promise<Finding[]> {
  const { kind, workload } = input.current;
  const { group } = kind.resource;
  const scalers = await listAs(input, '/apis/autoscaling/v2', 'horizontalpodautoscalers');
  return scalers
    .filter(
      (scaler) =>
        textAt(scaler, 'spec', 'scaleTargetRef', 'kind') === kind.resource.kind &&
        textAt(scaler, 'spec', 'scaleTargetRef', 'name') === workload.name &&
        (textAt(scaler, 'spec', 'scaleTargetRef', 'apiVersion') ?? group).split('/')[0] === group,
    )
    .map((scaler) =>
      finding(
        'info',
        'autoscaled',
        `HorizontalPodAutoscaler ${textAt(scaler, 'metadata', 'name') ?? ''} keeps between ${numberAt(scaler, 'spec', 'minReplicas') ?? 1} and ${numberAt(scaler, 'spec', 'maxReplicas') ?? '?'} replicas and is not changed.`,
      ),
    );
}

/**
 * Budgets over the pods of the template. Controllers ignore them when they replace pods; drains respect them.
 * https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
 */
export async function checkDisruptionBudgets(
  input: CheckInput,
  stored: Promise<CheckedTemplate>,
): Promise<Finding[]> {
  const budgets = await listAs(input, '/apis/policy/v1', 'poddisruptionbudgets');
  const labels = podTemplatesOf((await stored).template).map(({ template }) => labelsOf(template));
  return budgets
    .filter((budget) => {
      const selector = parseLabelSelector(valueAt(budget, 'spec', 'selector'));
      return labels.some((own) => matchesSelector(selector, own));
    })
    .map((budget) => {
      const allowed = numberAt(budget, 'status', 'disruptionsAllowed') ?? 0;
      return finding(
        'info',
        'disruption_budget',
        `PodDisruptionBudget ${textAt(budget, 'metadata', 'name') ?? ''} (${limitOf(budget)}, ${allowed} allowed now) does not limit rollouts, only evictions. Node drains may have to wait during the rollout.`,
      );
    });
}

function labelsOf(podTemplate: JsonObject): Record<string, string> {
  const labels = Object.entries(objectAt(podTemplate, 'metadata', 'labels') ?? {});
  return Object.fromEntries(
    labels.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

function limitOf(budget: JsonObject): string {
  const least = valueAt(budget, 'spec', 'minAvailable');
  const most = valueAt(budget, 'spec', 'maxUnavailable');
  if (typeof least === 'string' || typeof least === 'number') return `at least ${least} available`;
  if (typeof most === 'string' || typeof most === 'number') return `at most ${most} unavailable`;
  return 'no limit set';
}
