import type { Template, Workload } from '@/lib/history/workload';
import { formatStrategy } from '@/lib/messages/plan';
import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { numberAt, objectAt, objectsAt, textAt, valueAt } from '@/lib/kube/read';
import { recordedData } from '@/lib/kube/recorded-data';
import type { ResourceType } from '@/lib/kube/resource';
import type { TemplateLocation } from '@/lib/workloads/template-location';

type Spec = Pick<Workload, 'spec'>;

export const stormServices: ResourceType = {
  id: 'stormservices.orchestration.aibrix.ai',
  group: 'orchestration.aibrix.ai',
  versions: ['v1alpha1'],
  plural: 'stormservices',
  kind: 'StormService',
  isCustom: true,
};

/** A template of RoleSets has a pod template for each role: it is kept as it is recorded, in which all of them are found. */
export function roleSetBody(template: Template): Template {
  return Array.isArray(valueAt(template, 'spec', 'roles')) ? recordedData({ spec: { template } }) : template;
}

export const roleSetTemplateLocation: TemplateLocation = {
  members: ['template'],
  of: ({ template }) => (isJsonObject(template) ? roleSetBody(template) : undefined),
  settings(spec) {
    const roles = rolesOf({ spec }).map(({ replicas, podGroupSize }) => ({ replicas, podGroupSize }));
    return { template: { spec: { roles } } };
  },
};

const rolesOf = ({ spec }: Spec): JsonObject[] => objectsAt(spec, 'template', 'spec', 'roles');

export function roleSetsOf({ spec }: Spec): number {
  return numberAt(spec, 'replicas') ?? 1;
}

/** Each replica of a role is a pod, or a group of pods. A template without roles counts as one pod. */
export function podsPerRoleSet(workload: Spec): number {
  const sizes = rolesOf(workload).map(
    (role) => (numberAt(role, 'replicas') ?? 0) * (numberAt(role, 'podGroupSize') ?? 1),
  );
  return sizes.length === 0 ? 1 : sizes.reduce((sum, size) => sum + size);
}

/** "RollingUpdate, surge 1, unavailable 25%", "InPlaceUpdate". */
export function describeStrategy({ spec }: Spec): string {
  const { maxSurge: surge, maxUnavailable: unavailable } = objectAt(spec, 'updateStrategy') ?? {};
  const type = textAt(spec, 'updateStrategy', 'type') ?? 'RollingUpdate';
  return formatStrategy(type, type === 'InPlaceUpdate' ? {} : { surge, unavailable });
}
