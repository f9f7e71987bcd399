import 'server-only';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { type Finding } from '@/lib/workloads/plan';
import { numberAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/workloads/read';
import { type CheckInput, readAs } from '@/server/actions/checks/check';

/**
 * Budgets over the pods of the template. Controllers do not ask them when they replace pods; drains do.
 * https://kubernetes.io/docs/concepts/workloads/pods/disruptions/
 */
export async function checkDisruptionBudgets(input: CheckInput): Promise<Finding[]> {
  const { namespace } = input.present.workload;
  const list = await readAs(
    input,
    `/apis/policy/v1/namespaces/${encodeURIComponent(namespace)}/poddisruptionbudgets`,
  );
  const labels = labelsOf(input);
  return objectsAt(list, 'items')
    .filter((budget) => matchesSelector(parseLabelSelector(valueAt(budget, 'spec', 'selector')), labels))
    .map((budget) => {
      const allowed = numberAt(budget, 'status', 'disruptionsAllowed') ?? 0;
      return {
        severity: 'info',
        code: 'disruption_budget',
        message: `PodDisruptionBudget ${textAt(budget, 'metadata', 'name') ?? ''} (${limitOf(budget)}, ${allowed} allowed now) does not slow a rollout: it counts for evictions alone. While pods are replaced, drains of nodes may have to wait.`,
        action: null,
      };
    });
}

function labelsOf({ template }: CheckInput): Record<string, string> {
  const labels = Object.entries(objectAt(template, 'metadata', 'labels') ?? {});
  return Object.fromEntries(
    labels.flatMap(([key, value]) => (typeof value === 'string' ? [[key, value]] : [])),
  );
}

function limitOf(budget: Parameters<typeof valueAt>[0]): string {
  const least = valueAt(budget, 'spec', 'minAvailable');
  const most = valueAt(budget, 'spec', 'maxUnavailable');
  if (typeof least === 'string' || typeof least === 'number') return `at least ${least} available`;
  if (typeof most === 'string' || typeof most === 'number') return `at most ${most} unavailable`;
  return 'no limit stated';
}
