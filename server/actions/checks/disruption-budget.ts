import 'server-only';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { podTemplatesOf } from '@/lib/kube/pod-templates';
import { finding, type Finding } from '@/lib/workloads/plan';
import { numberAt, objectAt, textAt, valueAt } from '@/lib/kube/read';
import { type Template } from '@/lib/history/workload';
import { type CheckInput, listAs } from '@/server/actions/checks/check';

/**
 * Budgets over the pods of the template. Controllers ignore them when they replace pods; drains respect them.
 * https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
 */
export async function checkDisruptionBudgets(input: CheckInput): Promise<Finding[]> {
  const labels = labelsOf(input.template);
  const budgets = await listAs(input, '/apis/policy/v1', 'poddisruptionbudgets');
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
        `PodDisruptionBudget ${textAt(budget, 'metadata', 'name') ?? ''} (${limitOf(budget)}, ${allowed} allowed now) does not slow a rollout: it counts for evictions alone. While pods are replaced, drains of nodes may have to wait.`,
      );
    });
}

/** Of the pods of each template. */
function labelsOf(template: Template): Record<string, string>[] {
  return podTemplatesOf(template).map((part) => {
    const labels = Object.entries(objectAt(part.template, 'metadata', 'labels') ?? {});
    return Object.fromEntries(
      labels.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
    );
  });
}

function limitOf(budget: Parameters<typeof valueAt>[0]): string {
  const least = valueAt(budget, 'spec', 'minAvailable');
  const most = valueAt(budget, 'spec', 'maxUnavailable');
  if (typeof least === 'string' || typeof least === 'number') return `at least ${least} available`;
  if (typeof most === 'string' || typeof most === 'number') return `at most ${most} unavailable`;
  return 'no limit stated';
}
