import { groupOf } from '@/lib/kube/object';
import { type Producer } from '@/lib/producers/producer';

const UNCONFIRMED =
  'Shiplog has not been proven against this controller: what it does with a template that goes back is not known.';

/**
 * Controllers known to keep apps/v1 ControllerRevisions, besides those of Shiplog's own kinds. Any other
 * owner is supported too, without a description.
 */
export const producers: readonly Producer[] = [
  {
    name: 'Kruise UnitedDeployment',
    group: 'apps.kruise.io',
    kinds: ['UnitedDeployment'],
    numbering: 'renumbered',
    notes: ['It makes a workload for each subset, and those have revisions of their own.'],
  },
  {
    name: 'Kruise SidecarSet',
    group: 'apps.kruise.io',
    kinds: ['SidecarSet'],
    numbering: 'renumbered',
    notes: [
      'A SidecarSet belongs to no namespace: its revisions are kept in the namespace of Kruise, not where its pods are.',
      'A revision records the sidecars that are put into the pods of others, so no pod counts as running it here.',
    ],
    noRollback: UNCONFIRMED,
  },
  {
    name: 'RoleBasedGroup',
    group: 'workloads.x-k8s.io',
    kinds: ['RoleBasedGroup'],
    numbering: 'counted',
    notes: [
      'A revision records all roles together, but not how many replicas each of them has.',
      'Its controller keeps the last five revisions, whatever the object asks for.',
    ],
    keepsReplicasOf: { list: 'roles', otherwise: 1 },
  },
  {
    name: 'RoleBasedGroup',
    group: 'workloads.x-k8s.io',
    kinds: ['RoleInstanceSet', 'RoleInstance'],
    numbering: 'renumbered',
    notes: ['It is usually made for a role of a RoleBasedGroup, whose history is the one to read.'],
  },
  {
    name: 'Volcano Kthena',
    group: 'workload.serving.volcano.sh',
    numbering: 'constant',
    notes: [
      'Only the present and the coming revision are kept: this is no history of rollouts.',
      'A revision records the roles as a list of their own and not as a part of the spec.',
    ],
    bareStateAt: ['template', 'roles'],
  },
  {
    name: 'AIBrix StormService',
    group: 'orchestration.aibrix.ai',
    numbering: 'renumbered',
  },
  {
    name: 'KAITO',
    group: 'kaito.sh',
    numbering: 'counted',
    notes: [
      'A revision records members that stand beside the spec (resource, inference, tuning), and its controller keeps ten.',
    ],
  },
  {
    name: 'TiDB Operator',
    group: 'core.pingcap.com',
    numbering: 'renumbered',
  },
  {
    name: 'OpenYurt YurtAppSet',
    group: 'apps.openyurt.io',
    numbering: 'renumbered',
    notes: ['It makes a workload in each node pool, and those have revisions of their own.'],
  },
  {
    name: 'KusionStack',
    group: 'apps.kusionstack.io',
    numbering: 'renumbered',
    noRollback: UNCONFIRMED,
  },
  {
    name: 'Flink Operator',
    group: 'flinkoperator.k8s.io',
    numbering: 'counted',
    notes: ['A revision is a copy of the whole spec.'],
    recordsSpec: true,
    targetAt: [
      ['revision', 'nextRevision'],
      ['revision', 'currentRevision'],
    ],
    noRollback: UNCONFIRMED,
  },
  {
    name: 'KubeVirt',
    group: 'kubevirt.io',
    kinds: ['VirtualMachine'],
    numbering: 'generation',
    notes: [
      'KubeVirt keeps copies here of what the machine was made from: its instance type, its preference, and its spec at the last start. They are no history of rollouts.',
    ],
    storesOnly: true,
  },
  {
    name: 'KubeVirt VirtualMachinePool',
    group: 'pool.kubevirt.io',
    numbering: 'generation',
  },
  {
    name: 'KubeVela',
    group: 'core.oam.dev',
    numbering: 'counted',
    notes: ['A revision is a whole Component of KubeVela, with the workload that it renders.'],
  },
];

/** Who writes the revisions of an owner; undefined where Shiplog does not know. */
export function producerOf(owner: { apiVersion: string; kind: string } | null): Producer | undefined {
  if (owner === null) return undefined;
  const group = groupOf(owner.apiVersion);
  return producers.find((producer) => producer.group === group && includesKind(producer, owner.kind));
}

function includesKind({ kinds }: Producer, kind: string): boolean {
  return kinds === undefined || kinds.includes(kind);
}
