import { referencedWorkload } from '@/lib/workloads/argo-rollout/spec';
import { type RollbackInput } from '@/lib/workloads/kind';
import { findOwners } from '@/lib/workloads/owners';
import { type Finding } from '@/lib/workloads/plan';
import { numberAt } from '@/lib/workloads/read';
import { type ResourceType } from '@/lib/workloads/resource';
import { checkDeleting, refuseIf } from '@/lib/workloads/rollback-checks';
import { holderName, type TemplateHolder } from '@/lib/workloads/template-holder';
import { sameTemplate } from '@/lib/history/equality';
import { count } from '@/lib/workloads/words';
import { type Workload } from '@/lib/workloads/workload';

interface Referable {
  resource: ResourceType;
  version: string;
  path: readonly string[];
}

/** A PodTemplate has its template outside of a spec, where the tool of Argo Rollouts does not look for it. */
export const podTemplates: ResourceType = {
  id: 'podtemplates',
  group: '',
  versions: ['v1'],
  plural: 'podtemplates',
  kind: 'PodTemplate',
};

const REFERABLE: readonly Referable[] = [
  { resource: ofApps('deployments', 'Deployment'), version: 'v1', path: ['spec', 'template'] },
  { resource: ofApps('replicasets', 'ReplicaSet'), version: 'v1', path: ['spec', 'template'] },
  { resource: podTemplates, version: 'v1', path: ['template'] },
];

/**
 * The object that the template of a Rollout stands in; null where that is the Rollout itself, or of a kind that Argo Rollouts
 * does not know. https://argoproj.github.io/argo-rollouts/migrating/
 */
export function holderOf({
  namespace,
  reference,
}: {
  namespace: string;
  reference: { apiVersion: string; kind: string; name: string } | null;
}): TemplateHolder | null {
  if (reference === null) return null;
  const group = reference.apiVersion.includes('/') ? reference.apiVersion.split('/')[0] : '';
  const known = REFERABLE.find(
    ({ resource }) => resource.kind === reference.kind && resource.group === group,
  );
  return known === undefined ? null : { ...known, namespace, name: reference.name };
}

/** What stands against writing the object that holds the template, and what it means for that. */
export function checkHolder(input: RollbackInput): Finding[] {
  const reference = referencedWorkload(input.workload);
  if (reference === null) return [];
  const { holder: held } = input;
  if (held === undefined)
    return refuseIf(
      true,
      'workload_ref',
      `The Rollout has no template of its own: it rolls out that of ${reference.kind} ${reference.name}, which is of no kind that Argo Rollouts takes back.`,
      `Change ${reference.kind} ${reference.name}; the Rollout follows.`,
    );
  const name = holderName(held.holder);
  if (held.state === 'unreadable')
    return refuseIf(
      true,
      'workload_ref_unreadable',
      `The Rollout rolls out the template of ${name}, which can't be read: ${held.reason}`,
      `Ask for the right to read and patch ${held.holder.resource.plural}, or have ${name} taken back by somebody who has it.`,
    );
  return [
    ...checkDeleting({ workload: held.workload }),
    {
      severity: 'info',
      code: 'workload_ref',
      message: `The template stands in ${name}: that is what is written, and the Rollout follows.`,
      action: null,
    },
    ...checkTakenUp(input, name),
    ...checkOwnPods(held.workload, name),
    ...findOwners(held.workload).filter(({ severity }) => severity === 'warning'),
  ];
}

function checkTakenUp({ history: { target }, workload }: RollbackInput, name: string): Finding[] {
  if (target === null || sameTemplate(target.source, workload)) return [];
  return [
    {
      severity: 'warning',
      code: 'not_taken_up',
      message: `${name} holds a template that the Rollout has not taken up; after the rollback nothing in the cluster holds it.`,
      action: 'Copy that template first if it is still needed.',
    },
  ];
}

/** Of a Deployment that nobody has scaled down, the own pods are rolled too. */
function checkOwnPods({ resource, spec }: Workload, name: string): Finding[] {
  const desired = resource === 'deployments.apps' ? (numberAt(spec, 'replicas') ?? 1) : 0;
  if (desired === 0) return [];
  return [
    {
      severity: 'warning',
      code: 'workload_ref_pods',
      message: `${name} asks for ${count(desired, 'pod')} of its own, which ${desired === 1 ? 'is' : 'are'} replaced too, without the steps of the Rollout.`,
      action: `Scale ${name} to 0 where the Rollout has taken its place.`,
    },
  ];
}

function ofApps(plural: string, kind: string): ResourceType {
  return { id: `${plural}.apps`, group: 'apps', versions: ['v1'], plural, kind };
}
