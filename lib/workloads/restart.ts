import {
  kubectlCommand,
  patchRight,
  patchWorkload,
  pointer,
  setTested,
  testUid,
} from '@/lib/workloads/patch';
import type { Finding, JsonPatchOperation, Plan } from '@/lib/workloads/plan';
import type { ControlInput } from '@/lib/workloads/kind';
import { objectAt, textAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { RESTARTED_AT } from '@/lib/workloads/template-facts';

/** A restart under OnDelete only records a revision. */
export const restartWaitsForDeletion: Finding = {
  severity: 'warning',
  code: 'on_delete',
  message:
    'The update strategy is OnDelete: a new revision is recorded, but pods restart only when you delete them.',
  action: 'Delete the pods afterwards, one at a time.',
};

/** A restart within the same second writes nothing. */
export function checkRestart({ currentTemplate, now }: ControlInput, annotation = RESTARTED_AT): Finding[] {
  if (textAt(currentTemplate, 'metadata', 'annotations', annotation) !== now) return [];
  return [
    {
      severity: 'refusal',
      code: 'already_restarted',
      message: 'A restart was already requested in this second.',
      action: 'Wait a moment, then check whether it has started.',
    },
  ];
}

/**
 * Writes the time into the annotation of `kubectl rollout restart`, in the template that the viewer saw.
 * https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/objectrestarter.go
 */
export function restartPatch(
  { workload, currentTemplate, now }: ControlInput,
  annotation = RESTARTED_AT,
): JsonPatchOperation[] {
  const test: JsonPatchOperation[] = [
    testUid(workload),
    { op: 'test', path: '/spec/template', value: currentTemplate },
  ];
  const metadata = objectAt(currentTemplate, 'metadata');
  if (metadata === undefined)
    return [
      ...test,
      ...setTested('/spec/template/metadata', undefined, { annotations: { [annotation]: now } }),
    ];
  const annotations = objectAt(metadata, 'annotations');
  if (annotations === undefined)
    return [...test, ...setTested('/spec/template/metadata/annotations', undefined, { [annotation]: now })];
  const path = pointer('spec', 'template', 'metadata', 'annotations', annotation);
  return [...test, { op: 'add', path, value: now }];
}

/** The plan of `kubectl rollout restart`; `replacement` says which pods are replaced. */
export function restartPlan(
  resource: ResourceType,
  input: ControlInput,
  replacement: string,
  stays: readonly string[] = [],
): Plan {
  const { workload } = input;
  const { namespace, name } = workload;
  return {
    action: 'restart',
    title: `Restart ${name}`,
    write: patchWorkload(resource, workload, restartPatch(input)),
    needs: patchRight(resource, workload),
    steps: [replacement, 'Kubernetes records a new revision in which only the restart time differs.'],
    stays: ['Only the restart annotation of the template changes.', ...stays],
    kubectl: kubectlCommand(namespace, 'rollout', 'restart', `${resource.kind.toLowerCase()}/${name}`),
  };
}
