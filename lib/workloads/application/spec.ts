import { isApplicationBody } from '@/lib/kube/application-body';
import { deepEqual, type JsonObject } from '@/lib/kube/json';
import { latestRevisionNameOf, publishVersionOf } from '@/lib/workloads/application/revision-names';
import { numberAt, objectAt, objectsAt, textAt } from '@/lib/kube/read';
import type { TemplateLocation } from '@/lib/workloads/template-location';
import { formatCount } from '@/lib/format/text';
import type { Template, Workload } from '@/lib/history/workload';

/** Taken from the spec, apart from the body that has all of it. */
interface Outline extends JsonObject {
  components: JsonObject[];
  steps: number;
  /** From its policy; shown like that of any workload. */
  revisionHistoryLimit: number | null;
}

/** A revision records the whole spec of its Application. */
export const applicationTemplateLocation: TemplateLocation = {
  members: ['components', 'policies', 'workflow'],
  of: (spec) => ({ application: spec }),
  ofObject: ({ spec = {} }) => ({ application: spec }),
  isWritten: (fields) => objectAt(fields, 'f:spec') !== undefined,
  settings: outlineOf,
};

/**
 * Only the current Application is known, not the definitions that it was rendered with, so they count as
 * unchanged: a rollback does not touch them either.
 */
export function comparableApplication(current: Template, recorded: Template): Template {
  if (!isApplicationBody(current) || !isApplicationBody(recorded)) return current;
  return { ...recorded, application: current.application };
}

/** An edit of the spec that the controller ignores: of two that look the same, it applies only the revision. */
export function describeUnreadSpec(workload: Workload, current: Template, target: Template): string[] {
  const published = publishVersionOf(workload);
  if (published === null || !isApplicationBody(current) || !isApplicationBody(target)) return [];
  if (deepEqual(current.application, target.application)) return [];
  return [
    `The spec was edited after revision ${latestRevisionNameOf(workload) ?? ''}, without effect: KubeVela ignores changes to the spec until the annotation publishVersion changes from “${published}”.`,
  ];
}

/** Names and types of the components, in order. */
export function outlinedComponents({ spec }: Pick<Workload, 'spec'>): { name: string; type: string }[] {
  return objectsAt(spec, 'components').map((component) => ({
    name: textAt(component, 'name') ?? '',
    type: textAt(component, 'type') ?? '',
  }));
}

/** How many old revisions its own policy retains; null where the controller decides. */
export function revisionLimitOf({ spec }: Pick<Workload, 'spec'>): number | null {
  return numberAt(spec, 'revisionHistoryLimit') ?? null;
}

/** "2 components, workflow of 3 steps". */
export function describeDelivery({ spec }: Pick<Workload, 'spec'>): string {
  const components = formatCount(outlinedComponents({ spec }).length, 'component');
  const steps = numberAt(spec, 'steps') ?? 0;
  return steps === 0
    ? `${components}, deployed by the default workflow`
    : `${components}, workflow of ${formatCount(steps, 'step')}`;
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
