import { COMPONENT } from '@/lib/workloads/application/resource';
import { outlinedComponents } from '@/lib/workloads/application/spec';
import { type ComponentStanding, type Standing } from '@/lib/workloads/kind';
import { objectsAt, textAt } from '@/lib/workloads/read';
import { type Workload } from '@/lib/workloads/workload';

/** The components with their health and the workloads that were made of them; what bears no name of one comes last. */
export function componentsOf({
  workload,
  parts = [],
}: Pick<Standing, 'workload' | 'parts'>): ComponentStanding[] {
  const made = Map.groupBy(parts, componentOf);
  const services = Map.groupBy(
    objectsAt(workload.status, 'services'),
    (service) => textAt(service, 'name') ?? '',
  );
  const known = outlinedComponents(workload).map(({ name, type }) => {
    const own = services.get(name) ?? [];
    const sick = own.find(({ healthy }) => healthy !== true);
    return {
      name,
      type,
      healthy: own.length === 0 ? null : sick === undefined,
      message: textAt(sick ?? own[0], 'message') ?? null,
      workloads: made.get(name) ?? [],
    };
  });
  const names = new Set(known.map(({ name }) => name));
  const others = [...made].filter(([name]) => !names.has(name));
  return [
    ...known,
    ...others.map(([name, workloads]) => ({ name, type: '', healthy: null, message: null, workloads })),
  ];
}

function componentOf({ labels }: Workload): string {
  return Object.hasOwn(labels, COMPONENT) ? (labels[COMPONENT] ?? '') : '';
}
