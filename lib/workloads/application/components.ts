import { COMPONENT } from '@/lib/workloads/application/resource';
import { outlinedComponents } from '@/lib/workloads/application/spec';
import { type ComponentState, type WorkloadWithHistory } from '@/lib/workloads/kind';
import { objectsAt, textAt } from '@/lib/kube/read';
import { type Workload } from '@/lib/history/workload';

/**
 * The components with their health and the workloads created from them; workloads without a component's name
 * come last.
 */
export function componentsOf({
  workload,
  children = [],
}: Pick<WorkloadWithHistory, 'workload' | 'children'>): ComponentState[] {
  const workloadsByComponent = Map.groupBy(children, componentOf);
  const services = Map.groupBy(
    objectsAt(workload.status, 'services'),
    (service) => textAt(service, 'name') ?? '',
  );
  const known = outlinedComponents(workload).map(({ name, type }) => {
    const own = services.get(name) ?? [];
    const unhealthy = own.find(({ healthy }) => healthy !== true);
    return {
      name,
      type,
      healthy: own.length === 0 ? null : unhealthy === undefined,
      message: textAt(unhealthy ?? own[0], 'message') ?? null,
      workloads: workloadsByComponent.get(name) ?? [],
    };
  });
  const names = new Set(known.map(({ name }) => name));
  const others = [...workloadsByComponent].filter(([name]) => !names.has(name));
  return [
    ...known,
    ...others.map(([name, workloads]) => ({ name, type: '', healthy: null, message: null, workloads })),
  ];
}

function componentOf({ labels }: Workload): string {
  return Object.hasOwn(labels, COMPONENT) ? (labels[COMPONENT] ?? '') : '';
}
