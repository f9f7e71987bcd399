import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, OwnerReference } from '@/lib/kube/object';
import { at, NAMESPACE } from '@/lib/workloads/testing/objects';

/** How a controller keeps ControllerRevisions, with example objects. */
export interface ControllerCase {
  title: string;
  owner: { apiVersion: string; kind: string; plural: string } | null;
  /** The owner's current spec, with its template. */
  spec: JsonObject;
  /** Members of the owner besides its spec. */
  otherMembers?: JsonObject;
  status?: JsonObject;
  annotations?: Record<string, string>;
  revisions: readonly RevisionInput[];
  expected: Expected;
}

export interface RevisionInput {
  name: string;
  revision: number;
  data: JsonObject;
  labels?: Record<string, string>;
  /** Minutes after noon. Default: its position in the list. */
  created?: number;
}

interface Expected {
  /** Names by page, each newest first. */
  groups: readonly (readonly string[])[];
  /** Of the first page. */
  target?: string;
  isAssumed?: true;
  stored?: readonly string[];
  producer: string | null;
  /** Code of the rejection of a rollback to the oldest revision of the first page; null where it is allowed. */
  refusal?: string | null;
}

export function podTemplate(image: string, directive: JsonObject = {}): JsonObject {
  return {
    metadata: { labels: { app: 'model' } },
    spec: { containers: [{ name: 'app', image: `model:${image}` }] },
    ...directive,
  };
}

const REPLACE_DIRECTIVE: JsonObject = { $patch: 'replace' };
const withReplacedTemplate = (image: string): JsonObject => ({
  spec: { template: podTemplate(image, REPLACE_DIRECTIVE) },
});
const roles = (image: string, directive: readonly JsonObject[] = []): JsonObject[] => [
  ...directive,
  { name: 'prefill', template: podTemplate(image) },
  { name: 'decode', template: podTemplate(`${image}-d`) },
];
const scaled = (image: string): JsonObject[] =>
  roles(image).map((role, index) => ({ ...role, replicas: index + 2 }));
const component = (image: string): JsonObject => ({
  apiVersion: 'core.oam.dev/v1alpha2',
  kind: 'Component',
  metadata: { name: 'web' },
  spec: { workload: { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: podTemplate(image) } } },
});
const ofComponent = (name: string) => ({ 'controller.oam.dev/component': name });

/** Two revisions, `model-1` and `model-2`, that differ by their image. */
function twoRevisions(
  data: (image: string) => JsonObject,
  parts: Partial<RevisionInput>[] = [],
): RevisionInput[] {
  return ['1', '2'].map((image, index) => ({
    name: `model-${image}`,
    revision: index + 1,
    data: data(image),
    ...parts[index],
  }));
}

const bothRevisions = [['model-2', 'model-1']] as const;

// prettier-ignore
export const controllerCases: readonly ControllerCase[] = [
  {
    title: 'Kruise CloneSet, a kind of ours',
    owner: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'CloneSet', plural: 'clonesets' },
    spec: { template: podTemplate('2') },
    revisions: twoRevisions(withReplacedTemplate),
    expected: { groups: bothRevisions, producer: null },
  },
  {
    title: 'LeaderWorkerSet, a kind of ours',
    owner: {
      apiVersion: 'leaderworkerset.x-k8s.io/v1',
      kind: 'LeaderWorkerSet',
      plural: 'leaderworkersets',
    },
    spec: { leaderWorkerTemplate: { size: 2, workerTemplate: podTemplate('2') } },
    revisions: twoRevisions((image) => ({
      spec: { leaderWorkerTemplate: { ...REPLACE_DIRECTIVE, size: 2, workerTemplate: podTemplate(image) } },
    })),
    expected: { groups: bothRevisions, producer: null },
  },
  ...(['StatefulSet', 'DaemonSet'] as const).map((kind): ControllerCase => ({
    title: `Kruise ${kind}, a kind of ours`,
    owner: { apiVersion: 'apps.kruise.io/v1beta1', kind, plural: `${kind.toLowerCase()}s` },
    spec: { template: podTemplate('2') },
    revisions: twoRevisions(
      withReplacedTemplate,
      ['1', '2'].map((image) => ({ labels: { 'controller-revision-hash': `h${image}` } })),
    ),
    expected: { groups: bothRevisions, producer: null },
  })),
  {
    title: 'Kruise UnitedDeployment, whose status names the target',
    owner: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'UnitedDeployment', plural: 'uniteddeployments' },
    spec: { replicas: 3, template: { statefulSetTemplate: { spec: { template: podTemplate('1') } } } },
    status: { updateRevision: 'model-1', currentRevision: 'model-2' },
    revisions: twoRevisions((image) => ({
      spec: {
        template: { ...REPLACE_DIRECTIVE, statefulSetTemplate: { spec: { template: podTemplate(image) } } },
      },
    })).map((parts, index) => ({ ...parts, revision: index === 0 ? 3 : 2 })),
    expected: {
      groups: [['model-1', 'model-2']],
      target: 'model-1',
      producer: 'Kruise UnitedDeployment',
      refusal: null,
    },
  },
  {
    title: 'Kruise SidecarSet, owned across namespaces',
    owner: { apiVersion: 'apps.kruise.io/v1alpha1', kind: 'SidecarSet', plural: 'sidecarsets' },
    spec: { containers: [{ name: 'proxy', image: 'proxy:2' }] },
    revisions: twoRevisions((image) => ({
      spec: { containers: [REPLACE_DIRECTIVE, { name: 'proxy', image: `proxy:${image}` }] },
    })),
    expected: {
      groups: bothRevisions,
      target: 'model-2',
      isAssumed: true,
      producer: 'Kruise SidecarSet',
      refusal: 'unconfirmed',
    },
  },
  {
    title: 'RoleBasedGroup, whose list holds the mark',
    owner: { apiVersion: 'workloads.x-k8s.io/v1alpha1', kind: 'RoleBasedGroup', plural: 'rolebasedgroups' },
    spec: { roles: scaled('2'), roleTemplates: [] },
    revisions: twoRevisions(
      (image) => ({ spec: { roles: roles(image, [REPLACE_DIRECTIVE]), roleTemplates: [REPLACE_DIRECTIVE] } }),
      ['1', '2'].map((revision) => ({
        labels: {
          'rbg.workloads.x-k8s.io/group-name': 'model',
          'rbg.workloads.x-k8s.io/group-revision': `h${revision}`,
        },
      })),
    ),
    expected: {
      groups: bothRevisions,
      target: 'model-2',
      isAssumed: true,
      producer: 'RoleBasedGroup',
      refusal: null,
    },
  },
  ...['RoleInstanceSet', 'RoleInstance'].map((kind): ControllerCase => ({
    title: `${kind} of a RoleBasedGroup, whose status names a hash`,
    owner: { apiVersion: 'workloads.x-k8s.io/v1alpha1', kind, plural: `${kind.toLowerCase()}s` },
    spec: { replicas: 2, template: podTemplate('1') },
    status: { updateRevision: 'h1', currentRevision: 'h2' },
    // The first one was requested again, and got a new number.
    revisions: twoRevisions(
      withReplacedTemplate,
      ['1', '2'].map((image) => ({
        revision: image === '1' ? 3 : 2,
        labels: { 'controller-revision-hash': `h${image}` },
      })),
    ),
    expected: {
      groups: [['model-1', 'model-2']],
      target: 'model-1',
      producer: 'RoleBasedGroup',
      refusal: null,
    },
  })),
  {
    title: 'Volcano Kthena, always number 1 and no patch',
    owner: {
      apiVersion: 'workload.serving.volcano.sh/v1alpha1',
      kind: 'ModelServing',
      plural: 'modelservings',
    },
    spec: { template: { roles: roles('2') } },
    status: { updateRevision: '2', currentRevision: '1' },
    revisions: twoRevisions((image) => ({ data: roles(image) })).map((parts) => ({ ...parts, revision: 1 })),
    expected: {
      groups: bothRevisions,
      target: 'model-2',
      producer: 'Volcano Kthena',
      refusal: 'not_a_patch',
    },
  },
  {
    title: 'AIBrix StormService, labelled by a name alone',
    owner: { apiVersion: 'orchestration.aibrix.ai/v1alpha1', kind: 'StormService', plural: 'stormservices' },
    spec: { replicas: 1, template: { spec: { roles: roles('2') } } },
    status: { currentRevision: 'model-2' },
    revisions: twoRevisions(
      (image) => ({ spec: { template: { ...REPLACE_DIRECTIVE, spec: { roles: roles(image) } } } }),
      [{ labels: { name: 'model' } }, { labels: { name: 'model' } }],
    ),
    expected: { groups: bothRevisions, target: 'model-2', producer: null, refusal: null },
  },
  ...['Workspace', 'InferenceSet', 'RAGEngine'].map((kind): ControllerCase => ({
    title: `KAITO ${kind}, whose annotation has the number`,
    owner: { apiVersion: 'kaito.sh/v1beta1', kind, plural: `${kind.toLowerCase()}s` },
    spec: {},
    otherMembers: { resource: { count: 2 }, inference: { preset: { name: 'phi' } } },
    annotations: { 'workspace.kaito.io/revision': '1' },
    revisions: twoRevisions(
      (image) => ({ resource: { count: 2 }, inference: { preset: { name: `phi-${image}` } } }),
      ['1', '2'].map(() => ({ labels: { 'workspace.kaito.io/name': 'model' } })),
    ),
    expected: { groups: bothRevisions, target: 'model-1', producer: 'KAITO', refusal: 'not_a_patch' },
  })),
  ...['PDGroup', 'TiKVGroup'].map((kind): ControllerCase => ({
    title: `TiDB Operator (${kind}), with a member that is not marked`,
    owner: { apiVersion: 'core.pingcap.com/v1alpha1', kind, plural: `${kind.toLowerCase()}s` },
    spec: { replicas: 3, template: { spec: { version: 'v8.5.2' } }, features: ['a'] },
    status: { currentRevision: 'model-1', updateRevision: 'model-2' },
    revisions: twoRevisions((image) => ({
      spec: { template: { ...REPLACE_DIRECTIVE, spec: { version: `v8.5.${image}` } }, features: ['a'] },
    })),
    expected: { groups: bothRevisions, target: 'model-2', producer: 'TiDB Operator', refusal: 'unmarked' },
  })),
  {
    title: 'OpenYurt YurtAppSet',
    owner: { apiVersion: 'apps.openyurt.io/v1beta1', kind: 'YurtAppSet', plural: 'yurtappsets' },
    spec: { pools: ['hangzhou'], workload: { workloadTemplate: { image: '2' } } },
    status: { currentRevision: 'model-2' },
    revisions: twoRevisions((image) => ({
      spec: { workload: { ...REPLACE_DIRECTIVE, workloadTemplate: { image } } },
    })),
    expected: { groups: bothRevisions, target: 'model-2', producer: 'OpenYurt YurtAppSet', refusal: null },
  },
  ...['CollaSet', 'PodDecoration'].map((kind): ControllerCase => ({
    title: `KusionStack ${kind}, not confirmed`,
    owner: { apiVersion: 'apps.kusionstack.io/v1alpha1', kind, plural: `${kind.toLowerCase()}s` },
    spec: { template: podTemplate('2') },
    status: { updatedRevision: 'model-2' },
    revisions: twoRevisions(withReplacedTemplate),
    expected: { groups: bothRevisions, target: 'model-2', producer: 'KusionStack', refusal: 'unconfirmed' },
  })),
  {
    title: 'FlinkCluster, a copy of the spec',
    owner: { apiVersion: 'flinkoperator.k8s.io/v1beta1', kind: 'FlinkCluster', plural: 'flinkclusters' },
    spec: { image: { name: 'flink:2' }, job: { parallelism: 4 } },
    status: { revision: { currentRevision: 'model-1', nextRevision: 'model-2' } },
    revisions: twoRevisions((image) => ({ spec: { image: { name: `flink:${image}` } } })),
    expected: {
      groups: bothRevisions,
      target: 'model-2',
      producer: 'Flink Operator',
      refusal: 'unconfirmed',
    },
  },
  {
    title: 'KubeVirt VirtualMachine, which has no history at all',
    owner: { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', plural: 'virtualmachines' },
    spec: { instancetype: { name: 'big' } },
    revisions: [
      {
        name: 'model-1',
        revision: 0,
        labels: { 'instancetype.kubevirt.io/object-kind': 'VirtualMachineInstancetype' },
        data: {
          apiVersion: 'instancetype.kubevirt.io/v1beta1',
          kind: 'VirtualMachineInstancetype',
          spec: {},
        },
      },
      { name: 'model-2', revision: 7, data: { spec: { instancetype: { name: 'big' } } } },
    ],
    expected: { groups: bothRevisions, stored: ['model-2', 'model-1'], producer: 'KubeVirt' },
  },
  {
    title: 'KubeVirt VirtualMachinePool, numbered by generation',
    owner: { apiVersion: 'pool.kubevirt.io/v1alpha1', kind: 'VirtualMachinePool', plural: 'virtualmachinepools' },
    spec: { virtualMachineTemplate: { spec: { running: true } } },
    revisions: twoRevisions((image) => ({ virtualMachineTemplate: { spec: { image } } })).map((parts, index) => ({ ...parts, revision: 4 + 5 * index })),
    expected: { groups: bothRevisions, target: 'model-2', isAssumed: true, producer: 'KubeVirt VirtualMachinePool', refusal: 'not_a_patch' },
  },
  {
    title: 'KubeVela 1.0, owned by the Component itself',
    owner: { apiVersion: 'core.oam.dev/v1alpha2', kind: 'Component', plural: 'components' },
    spec: { workload: {} },
    revisions: twoRevisions(component),
    expected: {
      groups: bothRevisions,
      target: 'model-2',
      isAssumed: true,
      producer: 'KubeVela',
      refusal: 'not_a_patch',
    },
  },
  ...['Application', 'ResourceTracker'].map((kind): ControllerCase => ({
    title: `KubeVela 1.1, an owner (${kind}) with several components`,
    owner: { apiVersion: 'core.oam.dev/v1beta1', kind, plural: `${kind.toLowerCase()}s` },
    spec: { components: [] },
    revisions: [
      ...twoRevisions(component, [{ labels: ofComponent('web') }, { labels: ofComponent('web') }]),
      { name: 'api-v1', revision: 1, data: component('9'), labels: ofComponent('api') },
    ],
    expected: {
      groups: [['model-2', 'model-1'], ['api-v1']],
      target: 'model-2',
      isAssumed: true,
      producer: 'KubeVela',
      refusal: 'one_component',
    },
  })),
  {
    title: 'KubeVela since 1.2, without an owner',
    owner: null,
    spec: {},
    revisions: [
      ...twoRevisions(component, [{ labels: ofComponent('web') }, { labels: ofComponent('web') }]),
      { name: 'api-v1', revision: 1, data: component('9'), labels: ofComponent('api') },
    ],
    expected: {
      groups: [['model-2', 'model-1'], ['api-v1']],
      target: 'model-2',
      isAssumed: true,
      producer: 'KubeVela',
      refusal: 'no_controller',
    },
  },
  {
    title: 'orphans of nobody known',
    owner: null,
    spec: {},
    revisions: twoRevisions(withReplacedTemplate),
    expected: {
      groups: bothRevisions,
      target: 'model-2',
      isAssumed: true,
      producer: null,
      refusal: 'no_controller',
    },
  },
  {
    title: 'a controller that nobody knows, with a deep mark',
    owner: { apiVersion: 'example.com/v1', kind: 'Fleet', plural: 'fleets' },
    spec: { replicas: 3, pool: { size: 2, template: podTemplate('2') } },
    revisions: twoRevisions((image) => ({
      spec: { pool: { template: podTemplate(image, REPLACE_DIRECTIVE) } },
    })),
    expected: { groups: bothRevisions, target: 'model-2', isAssumed: true, producer: null, refusal: null },
  },
];

const OWNER_UID = 'uid-owner';

export function ownerOf({
  owner,
  spec,
  otherMembers,
  status,
  annotations,
}: ControllerCase): KubeObject | null {
  if (owner === null) return null;
  const { apiVersion, kind } = owner;
  return {
    apiVersion,
    kind,
    metadata: {
      name: 'model',
      namespace: NAMESPACE,
      uid: OWNER_UID,
      resourceVersion: '1',
      generation: 2,
      creationTimestamp: at(0),
      ...(annotations && { annotations }),
    },
    spec,
    ...otherMembers,
    ...(status && { status }),
  };
}

export function revisionsOf({ owner, revisions }: ControllerCase): KubeObject[] {
  const reference: OwnerReference | null =
    owner === null
      ? null
      : { apiVersion: owner.apiVersion, kind: owner.kind, name: 'model', uid: OWNER_UID, controller: true };
  return revisions.map(({ name, revision, data, labels = {}, created }, index) => ({
    apiVersion: 'apps/v1',
    kind: 'ControllerRevision',
    metadata: {
      name,
      namespace: NAMESPACE,
      uid: `uid-${name}`,
      resourceVersion: '1',
      creationTimestamp: at(created ?? index + 1),
      labels,
      ...(reference && { ownerReferences: [reference] }),
    },
    revision,
    data,
  }));
}
