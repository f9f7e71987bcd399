import { formatRevision, type Revision } from '@/lib/history/revision';
import type { JsonObject } from '@/lib/kube/json';
import type { Capacity } from '@/lib/workloads/capacity';
import type { RollbackInput } from '@/lib/workloads/kind';
import { kubectlCommand, patchRight, patchWorkload, replaceTemplate } from '@/lib/workloads/patch';
import type { Finding, JsonPatchOperation, Plan } from '@/lib/workloads/plan';
import { valueAt } from '@/lib/kube/read';
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
  /** Default: `kubectl rollout undo`. */
  kubectl?: string;
  /** Absent where the kind has no pods of its own. */
  capacity?: Capacity;
}

/**
 * The write of every kind: the template, tested on uid and on the template that the viewer saw; of the object
 * that holds it.
 */
export function rollbackPlan(resource: ResourceType, input: RollbackInput, text: RollbackText): Plan {
  const { workload, currentTemplate, template, requested = template, to, templateOwner: ownerState } = input;
  const templateOwner = ownerState?.state === 'found' ? ownerState.owner : undefined;
  const { uid } = ownerState?.state === 'found' ? ownerState.workload : workload;
  return {
    action: 'rollback',
    title: `Roll back to ${formatTargetWithVersion(to)}`,
    write: patchWorkload(templateOwner?.resource ?? resource, templateOwner ?? workload, [
      ...replaceTemplate({ uid }, currentTemplate, requested, templateOwner?.path),
      ...(text.otherOperations ?? []),
    ]),
    needs: patchRight(templateOwner?.resource ?? resource, templateOwner ?? workload),
    steps: text.steps,
    stays: text.stays,
    kubectl: text.kubectl ?? undoCommand(resource, input),
    ...(text.capacity && { capacity: text.capacity }),
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
function undoCommand({ kind }: ResourceType, { workload, history, to }: RollbackInput): string {
  const carrier = requestedCarrier(history, to);
  if (carrier === null)
    return `# kubectl rollout undo cannot roll back to revision ${formatTarget(to)}: the cluster no longer has its template`;
  if (carrier.number === null || carrier.number <= 0)
    return `# kubectl rollout undo cannot address ${carrier.name}: it has no revision number`;
  const object = `${kind.toLowerCase()}/${workload.name}`;
  return kubectlCommand(workload.namespace, 'rollout', 'undo', object, `--to-revision=${carrier.number}`);
}

/**
 * Kubernetes 1.34 dropped an empty member from recorded templates. The API server serializes an older
 * revision anew, and then it equals no recorded one. https://github.com/kubernetes/kubernetes/issues/134773
 */
export function checkEncoding({ currentTemplate, template, to }: RollbackInput): Finding[] {
  const isOlder = (value: JsonObject) => valueAt(value, 'metadata', 'creationTimestamp') !== undefined;
  if (!isOlder(template) || isOlder(currentTemplate)) return [];
  return [
    {
      severity: 'info',
      code: 'older_encoding',
      message: `Revision ${formatTarget(to)} was recorded by a Kubernetes version before 1.34; an equivalent new revision may appear next to it.`,
      action: null,
    },
  ];
}
