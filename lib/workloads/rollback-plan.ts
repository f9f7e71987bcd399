import { numberOfSource } from '@/lib/history/order';
import { type Revision } from '@/lib/history/revision';
import { type JsonObject } from '@/lib/kube/json';
import { type RollbackInput } from '@/lib/workloads/kind';
import { kubectlLine, patchRight, patchWorkload, replaceTemplate } from '@/lib/workloads/patch';
import { type Finding, type JsonPatchOperation, type Plan } from '@/lib/workloads/plan';
import { valueAt } from '@/lib/workloads/read';
import { type ResourceType } from '@/lib/workloads/resource';
import { calledTarget, calledWithVersion, carrierOf } from '@/lib/workloads/rollback-target';
import { called } from '@/lib/workloads/words';

export interface RollbackWords {
  steps: readonly string[];
  stays: readonly string[];
  /** Operations beside the template. */
  also?: readonly JsonPatchOperation[];
  /** Default: `kubectl rollout undo`. */
  kubectl?: string;
}

/**
 * The write that every kind uses: the template, tested on uid and on the template that the viewer saw; of the object that
 * holds it.
 */
export function rollbackPlan(resource: ResourceType, input: RollbackInput, words: RollbackWords): Plan {
  const { workload, present, template, to, holder: held } = input;
  const holder = held?.state === 'found' ? held.holder : undefined;
  const { uid } = held?.state === 'found' ? held.workload : workload;
  return {
    action: 'rollback',
    title: `Roll back to ${calledWithVersion(to)}`,
    write: patchWorkload(holder?.resource ?? resource, holder ?? workload, [
      ...replaceTemplate({ uid }, present, template, holder?.path),
      ...(words.also ?? []),
    ]),
    needs: patchRight(holder?.resource ?? resource, holder ?? workload),
    steps: words.steps,
    stays: words.stays,
    kubectl: words.kubectl ?? undoLine(resource, input),
  };
}

/**
 * The next number is one above the highest of all others; a revision that lies above them keeps its own. `reused` is
 * null where no revision in the cluster has the template.
 */
export function numberStep({ history }: RollbackInput, reused: Revision | null): string {
  const highest = history.revisions
    .filter(({ id }) => id !== reused?.id)
    .reduce((most, { source }) => Math.max(most, numberOfSource(source) ?? 0), 0);
  if (reused === null) return `Kubernetes will record this template as a new revision, ${highest + 1}.`;
  const { number } = reused;
  if (number !== null && number > highest) return `Kubernetes keeps the number ${number} of this template.`;
  const vanishes =
    reused.source.number.kind === 'number' ? `; ${called(reused)} vanishes from its own list` : '';
  return `Kubernetes will number this template ${highest + 1}${vanishes}.`;
}

/** kubectl addresses revisions by number alone, and 0 would mean “the one before”. */
function undoLine({ kind }: ResourceType, { workload, history, to }: RollbackInput): string {
  const carrier = carrierOf(history, to);
  if (carrier === null)
    return `# kubectl rollout undo cannot go back to ${calledTarget(to)}: the cluster no longer has its template`;
  if (carrier.number === null || carrier.number <= 0)
    return `# kubectl rollout undo cannot address ${carrier.name}: it has no revision number`;
  const object = `${kind.toLowerCase()}/${workload.name}`;
  return kubectlLine(workload.namespace, 'rollout', 'undo', object, `--to-revision=${carrier.number}`);
}

/**
 * Kubernetes 1.34 dropped an empty member from what it records. A revision from before is written anew by the API
 * server, and then equals no recorded one. https://github.com/kubernetes/kubernetes/issues/134773
 */
export function checkEncoding({ present, template, to }: RollbackInput): Finding[] {
  const isOlder = (value: JsonObject) => valueAt(value, 'metadata', 'creationTimestamp') !== undefined;
  if (!isOlder(template) || isOlder(present)) return [];
  return [
    {
      severity: 'info',
      code: 'older_encoding',
      message: `Revision ${calledTarget(to)} was recorded by a Kubernetes before 1.34; a new revision with the same meaning may appear beside it.`,
      action: null,
    },
  ];
}
