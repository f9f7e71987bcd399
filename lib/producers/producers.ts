import { groupOf } from '@/lib/kube/object';
import type { Producer } from '@/lib/producers/producer';

const UNCONFIRMED = 'Shiplog has not been tested with this controller: how it handles a rollback is unknown.';

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
    notes: ['It creates a workload for each subset; each has its own revisions.'],
  },
  {
    name: 'Kruise SidecarSet',
    group: 'apps.kruise.io',
    kinds: ['SidecarSet'],
    numbering: 'renumbered',
    notes: [
      'A SidecarSet has no namespace: its revisions are in the namespace of Kruise, not in that of its pods.',
      'A revision records sidecars that are injected into the pods of other workloads, so no pod is shown as running it.',
    ],
    noRollback: UNCONFIRMED,
  },
  {
    name: 'RoleBasedGroup',
    group: 'workloads.x-k8s.io',
    kinds: ['RoleBasedGroup'],
    numbering: 'counted',
    notes: [
      'A revision records all roles together, without their replicas.',
      'Its controller always retains the last five revisions.',
    ],
    keepsReplicasOf: { list: 'roles', otherwise: 1 },
  },
  {
    name: 'RoleBasedGroup',
    group: 'workloads.x-k8s.io',
    kinds: ['RoleInstanceSet', 'RoleInstance'],
    numbering: 'renumbered',
    notes: ['It is usually created for a role of a RoleBasedGroup; see the history of that group.'],
  },
  {
    name: 'Volcano Kthena',
    group: 'workload.serving.volcano.sh',
    numbering: 'constant',
    notes: [
      'Only the current and the next revision are retained: this is not a rollout history.',
      'A revision records the roles as a separate list, not as part of the spec.',
    ],
    bareStateAt: ['template', 'roles'],
  },
  {
    name: 'KAITO',
    group: 'kaito.sh',
    numbering: 'counted',
    notes: [
      'A revision records fields outside of the spec (resource, inference, tuning); its controller retains ten.',
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
    notes: ['It creates a workload in each node pool; each has its own revisions.'],
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
      'KubeVirt stores copies here of the instance type, the preference, and the spec at the last start of the machine. They are not a rollout history.',
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
    notes: ['A revision is a whole KubeVela Component with the workload that it renders.'],
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
