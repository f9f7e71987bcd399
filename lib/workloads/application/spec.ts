import { isApplicationBody } from '@/lib/kube/application-body';
import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { latestNameOf, publishVersionOf } from '@/lib/workloads/application/marks';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/workloads/read';
import { type TemplatePlace } from '@/lib/workloads/template-place';
import { count } from '@/lib/workloads/words';
import { type Template, type Workload } from '@/lib/workloads/workload';

/** Kept of the spec, beside the body that has all of it. */
interface Outline extends JsonObject {
  components: JsonObject[];
  steps: number;
  /** As its policy says; the page shows it as that of any workload. */
  revisionHistoryLimit: number | null;
}

/** A revision records the whole spec of its Application. */
export const applicationPlace: TemplatePlace = {
  members: ['components', 'policies', 'workflow'],
  of: (spec) => ({ application: spec }),
  ofObject: ({ spec = {} }) => ({ application: spec }),
  isWritten: (fields) => objectAt(fields, 'f:spec') !== undefined,
  settings: outlineOf,
};

/**
 * Of the present Application and what it was rendered with only the former is known, so that the definitions count as
 * unchanged: a rollback does not touch them either.
 */
export function presentApplication(present: Template, recorded: Template): Template {
  if (!isApplicationBody(present) || !isApplicationBody(recorded)) return present;
  return { ...recorded, application: present.application };
}

/** An edit of the spec that the controller goes on without: of two that look the same, only the revision is carried out. */
export function tellUnread(workload: Workload, present: Template, target: Template): string[] {
  const published = publishVersionOf(workload);
  if (published === null || !isApplicationBody(present) || !isApplicationBody(target)) return [];
  if (deepEqual(present.application, target.application)) return [];
  return [
    `The spec is not what revision ${latestNameOf(workload) ?? ''} recorded, and KubeVela goes on with the revision: it reads no edit of the spec while the annotation publishVersion stays ${published}.`,
  ];
}

/** Names and types of the components, in their order. */
export function outlinedComponents({ spec }: Pick<Workload, 'spec'>): { name: string; type: string }[] {
  return objectsAt(spec, 'components').map((component) => ({
    name: textAt(component, 'name') ?? '',
    type: textAt(component, 'type') ?? '',
  }));
}

/** How many old revisions its own policy keeps; null where it leaves that to the controller. */
export function revisionLimitOf({ spec }: Pick<Workload, 'spec'>): number | null {
  return numberAt(spec, 'revisionHistoryLimit') ?? null;
}

/** "2 components, workflow of 3 steps". */
export function describeDelivery({ spec }: Pick<Workload, 'spec'>): string {
  const components = count(outlinedComponents({ spec }).length, 'component');
  const steps = numberAt(spec, 'steps') ?? 0;
  return steps === 0
    ? `${components}, each deployed by KubeVela’s own workflow`
    : `${components}, workflow of ${count(steps, 'step')}`;
}

function outlineOf(spec: JsonObject): Outline {
  return {
    components: objectsAt(spec, 'components').map((component) => ({
      name: textAt(component, 'name') ?? '',
      type: textAt(component, 'type') ?? '',
    })),
    steps: objectsAt(spec, 'workflow', 'steps').length,
    revisionHistoryLimit: limitIn(spec),
  };
}

/** https://kubevela.io/docs/end-user/policies/references/#garbage-collect */
function limitIn(spec: JsonObject): number | null {
  const limits = objectsAt(spec, 'policies')
    .filter((policy) => policy.type === 'garbage-collect')
    .map((policy) => numberAt(policy, 'properties', 'applicationRevisionLimit'));
  const limit = limits.find((found) => found !== undefined);
  return limit !== undefined && Number.isSafeInteger(limit) && limit >= 0 ? limit : null;
}
