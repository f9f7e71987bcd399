import { readReference } from '@/lib/argo/reading';
import type { RollbackInput } from '@/lib/workloads/kind';
import { checkOwners } from '@/lib/workloads/owner-checks';
import { finding, type Finding, refuseIf } from '@/lib/workloads/plan';
import type { JsonObject } from '@/lib/kube/json';
import { groupOf } from '@/lib/kube/object';
import { numberAt, objectAt } from '@/lib/kube/read';
import type { ResourceType } from '@/lib/kube/resource';
import { checkDeleting } from '@/lib/workloads/rollback-checks';
import { templateOwnerName, type TemplateOwner } from '@/lib/workloads/template-owner';
import { isEqualTemplate } from '@/lib/history/template-equality';
import { formatCount } from '@/lib/format/text';
import type { Workload } from '@/lib/history/workload';

type ReferableKind = Omit<TemplateOwner, 'namespace' | 'name'>;

/** A PodTemplate has its template outside of a spec, where Argo Rollouts does not read it. */
export const podTemplates: ResourceType = {
  id: 'podtemplates',
  group: '',
  versions: ['v1'],
  plural: 'podtemplates',
  kind: 'PodTemplate',
};

const REFERABLE_KINDS: readonly ReferableKind[] = [
  { resource: ofApps('deployments', 'Deployment'), version: 'v1', path: ['spec', 'template'] },
  { resource: ofApps('replicasets', 'ReplicaSet'), version: 'v1', path: ['spec', 'template'] },
  {
    resource: podTemplates,
    version: 'v1',
    path: ['template'],
    template: {
      location: {
        members: [],
        of: () => undefined,
        ofObject: (object) => objectAt(object as unknown as JsonObject, 'template'),
      },
    },
  },
];

/**
 * The object that holds the template of a Rollout; null where that is the Rollout itself, or an object of a
 * kind that Argo Rollouts does not know. https://argoproj.github.io/argo-rollouts/migrating/
 */
export function templateOwnerOf({
  namespace,
  reference,
}: {
  namespace: string;
  reference: { apiVersion: string; kind: string; name: string } | null;
}): TemplateOwner | null {
  if (reference === null) return null;
  const group = groupOf(reference.apiVersion);
  const known = REFERABLE_KINDS.find(
    ({ resource }) => resource.kind === reference.kind && resource.group === group,
  );
  return known === undefined ? null : { ...known, namespace, name: reference.name };
}

/** Reasons against writing the object that holds the template, and the effects of the write. */
export function checkTemplateOwner(input: RollbackInput): Finding[] {
  const reference = readReference(input.workload.spec);
  if (reference === null) return [];
  const { templateOwner: ownerState } = input;
  if (ownerState === undefined)
    return refuseIf(
      true,
      'workload_ref',
      `The Rollout has no template of its own. It uses that of ${reference.kind} ${reference.name}, which Shiplog cannot roll back.`,
      `Change ${reference.kind} ${reference.name}; the Rollout follows.`,
    );
  const name = templateOwnerName(ownerState.owner);
  if (ownerState.state === 'unreadable')
    return refuseIf(
      true,
      'workload_ref_unreadable',
      `The Rollout uses the template of ${name}, which cannot be read: ${ownerState.reason}`,
      `Request permission to get and patch ${ownerState.owner.resource.plural}, or ask someone who has them to roll back ${name}.`,
    );
  return [
    ...checkDeleting({ workload: ownerState.workload }),
    finding(
      'info',
      'workload_ref',
      `The template is in ${name}: the rollback changes it, and the Rollout follows.`,
    ),
    ...checkTemplateRecorded(input, name),
    ...checkOwnPods(ownerState.workload, name),
    ...checkOwners(ownerState.workload).filter(({ severity }) => severity === 'warning'),
  ];
}

function checkTemplateRecorded({ history: { target }, workload }: RollbackInput, name: string): Finding[] {
  if (target === null || isEqualTemplate(target.source, workload)) return [];
  return [
    finding(
      'warning',
      'not_taken_up',
      `${name} has a template that the Rollout has not observed yet. After the rollback the cluster no longer has it.`,
      'Copy that template first if you still need it.',
    ),
  ];
}

/** Of a Deployment that still has replicas, its own pods are rolled too. */
function checkOwnPods({ resource, spec }: Workload, name: string): Finding[] {
  const desired = resource === 'deployments.apps' ? (numberAt(spec, 'replicas') ?? 1) : 0;
  if (desired === 0) return [];
  return [
    finding(
      'warning',
      'workload_ref_pods',
      `${name} requests ${formatCount(desired, 'pod')} of its own, which ${desired === 1 ? 'is' : 'are'} replaced too, without the steps of the Rollout.`,
      `Scale ${name} to 0 if the Rollout replaces it.`,
    ),
  ];
}

function ofApps(plural: string, kind: string): ResourceType {
  return { id: `${plural}.apps`, group: 'apps', versions: ['v1'], plural, kind };
}
