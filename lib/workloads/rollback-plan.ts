import { formatRevision, type Revision } from '@/lib/history/revision';
import type { Capacity } from '@/lib/engine/capacity';
import type { RollbackInput } from '@/lib/workloads/kind';
import { kubectlCommand, patchRight, patchWorkload, replaceTemplate } from '@/lib/workloads/patch';
import type { JsonPatchOperation, Plan } from '@/lib/workloads/plan';
import type { ResourceType } from '@/lib/kube/resource';
import {
  formatTarget,
  formatTargetWithVersion,
  requestedCarrier,
  nextNumber,
} from '@/lib/workloads/rollback-target';

/** No revision records them. */
export const OTHER_OBJECTS_STAY = 'ConfigMaps, Secrets, Services and the ServiceAccount are not rolled back.';

interface RollbackText {
  steps: readonly string[];
  stays: readonly string[];
  /** Operations in addition to the template. */
  otherOperations?: readonly JsonPatchOperation[];
  /** Operations in place of all these. Absent: they are of the template. */
  operations?: readonly JsonPatchOperation[];
  /** Absent: `kubectl rollout undo`, of the kinds that it knows. */
  kubectl?: string | undefined;
  /** Absent where the kind has no pods of its own. */
  capacity?: Capacity;
}

/**
 * The write of every kind: the template, tested on uid and on the template that the viewer saw; of the object
 * that holds it.
 */
export function rollbackPlan(resource: ResourceType, input: RollbackInput, text: RollbackText): Plan {
  const { workload, currentTemplate, template, requested = template, to, templateOwner } = input;
  const holder = templateOwner?.state === 'found' ? templateOwner : { owner: undefined, workload };
  const object = holder.owner ?? workload;
  const resourceOfObject = holder.owner?.resource ?? resource;
  const operations = text.operations ?? [
    ...replaceTemplate(holder.workload, currentTemplate, requested, holder.owner?.path),
    ...(text.otherOperations ?? []),
  ];
  return {
    action: 'rollback',
    title: `Roll back to ${formatTargetWithVersion(to)}`,
    write: patchWorkload(resourceOfObject, object, operations),
    needs: patchRight(resourceOfObject, object),
    steps: text.steps,
    stays: text.stays,
    kubectl: text.kubectl ?? undoCommand(resource, input),
    capacity: text.capacity,
  };
}

/**
 * A revision above all others keeps its number. `reused` is null where no revision in the cluster has the
 * template.
 */
export function describeNumbering({ history }: RollbackInput, reused: Revision | null): string {
  const next = nextNumber(history, reused);
  if (reused === null) return `Kubernetes records this template as new revision ${next}.`;
  const { number } = reused;
  if (number !== null && number >= next) return `The template keeps its revision number, ${number}.`;
  return reused.source.number.kind === 'number'
    ? `Kubernetes renumbers revision ${formatRevision(reused)} to ${next}; number ${formatRevision(reused)} disappears from kubectl rollout history.`
    : `Kubernetes numbers this template ${next}.`;
}

/** kubectl addresses revisions by number alone, and 0 would mean “the previous one”. */
function undoCommand({ kind, isCustom }: ResourceType, { workload, history, to }: RollbackInput): string {
  if (isCustom === true) return `# kubectl rollout undo does not support ${kind}`;
  const carrier = requestedCarrier(history, to);
  if (carrier === null)
    return `# kubectl rollout undo cannot roll back to revision ${formatTarget(to)}: the cluster no longer has its template`;
  if (carrier.number === null || carrier.number <= 0)
    return `# kubectl rollout undo cannot address ${carrier.name}: it has no revision number`;
  const object = `${kind.toLowerCase()}/${workload.name}`;
  return kubectlCommand(workload.namespace, 'rollout', 'undo', object, `--to-revision=${carrier.number}`);
}
