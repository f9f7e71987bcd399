import { type Field, type ListKeys, POD_TEMPLATE, type Struct } from '@/lib/diff/fields';

/** Like the field tables of `lib/diff`, for the fields around a pod template. */
type Fields = Readonly<Record<string, Field>>;

const scalar: Field = { shape: 'scalar', nullable: false };
const pointer: Field = { shape: 'scalar', nullable: true };
const opaque: Field = { shape: 'opaque' };
const strings: Field = { shape: 'map', of: 'string' };
const quantities: Field = { shape: 'map', of: 'quantity' };
const atomic: ListKeys = { kind: 'atomic', keys: [] };

function struct(name: string, fields: Fields): Struct {
  return { name, fields: new Map(Object.entries(fields)) };
}

function value(of: Struct): Field {
  return { shape: 'struct', nullable: false, of };
}

function optional(of: Struct): Field {
  return { shape: 'struct', nullable: true, of };
}

function keyed(of: Struct, ...keys: string[]): Field {
  return { shape: 'list', of, list: { kind: 'map', keys } };
}

function list(of: Struct | null = null): Field {
  return { shape: 'list', of, list: atomic };
}

function scalars(...names: string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, scalar]));
}

function pointers(...names: string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, pointer]));
}

function opaques(...names: string[]): Fields {
  return Object.fromEntries(names.map((name) => [name, opaque]));
}

function structAt(parent: Struct, name: string): Struct {
  const field = parent.fields.get(name);
  if (field?.shape !== 'struct') throw new Error(`the field table has no struct at ${name}`);
  return field.of;
}

const META = structAt(POD_TEMPLATE, 'metadata');
const POD_SPEC = structAt(POD_TEMPLATE, 'spec');
const SELECTOR = struct('LabelSelector', { matchLabels: strings, matchExpressions: list() });
const CONDITION = struct('Condition', {
  ...scalars(
    'type',
    'status',
    'lastUpdateTime',
    'lastTransitionTime',
    'reason',
    'message',
    'observedGeneration',
  ),
  // Null where pods have none.
  lastProbeTime: opaque,
  lastHeartbeatTime: opaque,
});
const CONDITIONS = keyed(CONDITION, 'type');
const TEMPLATE_PARTS: Fields = { selector: optional(SELECTOR), template: value(POD_TEMPLATE) };

function rootOf(kind: string, fields: Fields): Struct {
  return struct(kind, { apiVersion: scalar, kind: scalar, metadata: value(META), ...fields });
}

const DEPLOYMENT = rootOf('Deployment', {
  spec: value(
    struct('DeploymentSpec', {
      ...TEMPLATE_PARTS,
      ...pointers('replicas', 'revisionHistoryLimit', 'progressDeadlineSeconds'),
      ...scalars('minReadySeconds', 'paused'),
      strategy: value(
        struct('DeploymentStrategy', {
          type: scalar,
          rollingUpdate: optional(struct('RollingUpdateDeployment', pointers('maxUnavailable', 'maxSurge'))),
        }),
      ),
    }),
  ),
  status: value(
    struct('DeploymentStatus', {
      ...scalars('observedGeneration', 'replicas', 'updatedReplicas', 'readyReplicas', 'availableReplicas'),
      ...scalars('unavailableReplicas'),
      ...pointers('terminatingReplicas', 'collisionCount'),
      conditions: CONDITIONS,
    }),
  ),
});

const REPLICA_SET = rootOf('ReplicaSet', {
  spec: value(
    struct('ReplicaSetSpec', { ...TEMPLATE_PARTS, ...pointers('replicas'), ...scalars('minReadySeconds') }),
  ),
  status: value(
    struct('ReplicaSetStatus', {
      ...scalars('fullyLabeledReplicas', 'readyReplicas', 'availableReplicas', 'observedGeneration'),
      // Written even when zero.
      ...pointers('replicas', 'terminatingReplicas'),
      conditions: CONDITIONS,
    }),
  ),
});

const CLAIM_SPEC = struct('PersistentVolumeClaimSpec', {
  ...opaques('selector', 'dataSource', 'dataSourceRef'),
  ...pointers('storageClassName', 'volumeMode', 'volumeAttributesClassName'),
  volumeName: scalar,
  accessModes: list(),
  resources: value(struct('VolumeResourceRequirements', { limits: quantities, requests: quantities })),
});
const CLAIM = rootOf('PersistentVolumeClaim', {
  spec: value(CLAIM_SPEC),
  status: value(
    struct('PersistentVolumeClaimStatus', {
      phase: scalar,
      accessModes: list(),
      capacity: quantities,
      conditions: CONDITIONS,
      ...opaques('allocatedResources', 'allocatedResourceStatuses', 'modifyVolumeStatus'),
      ...pointers('currentVolumeAttributesClassName'),
    }),
  ),
});

const STATEFUL_SET = rootOf('StatefulSet', {
  spec: value(
    struct('StatefulSetSpec', {
      ...TEMPLATE_PARTS,
      ...pointers('replicas', 'revisionHistoryLimit'),
      ...scalars('serviceName', 'podManagementPolicy', 'minReadySeconds'),
      volumeClaimTemplates: list(CLAIM),
      updateStrategy: value(
        struct('StatefulSetUpdateStrategy', {
          type: scalar,
          rollingUpdate: optional(
            struct('RollingUpdateStatefulSet', pointers('partition', 'maxUnavailable')),
          ),
        }),
      ),
      persistentVolumeClaimRetentionPolicy: optional(
        struct('StatefulSetPersistentVolumeClaimRetentionPolicy', scalars('whenDeleted', 'whenScaled')),
      ),
      ordinals: optional(struct('StatefulSetOrdinals', pointers('start'))),
    }),
  ),
  status: value(
    struct('StatefulSetStatus', {
      ...scalars('observedGeneration', 'readyReplicas', 'currentReplicas', 'updatedReplicas'),
      ...scalars('currentRevision', 'updateRevision'),
      ...pointers('replicas', 'availableReplicas', 'collisionCount'),
      conditions: CONDITIONS,
    }),
  ),
});

const DAEMON_SET = rootOf('DaemonSet', {
  spec: value(
    struct('DaemonSetSpec', {
      ...TEMPLATE_PARTS,
      ...pointers('revisionHistoryLimit'),
      ...scalars('minReadySeconds'),
      updateStrategy: value(
        struct('DaemonSetUpdateStrategy', {
          type: scalar,
          rollingUpdate: optional(struct('RollingUpdateDaemonSet', pointers('maxUnavailable', 'maxSurge'))),
        }),
      ),
    }),
  ),
  status: value(
    struct('DaemonSetStatus', {
      ...scalars('observedGeneration', 'updatedNumberScheduled', 'numberAvailable', 'numberUnavailable'),
      ...pointers('currentNumberScheduled', 'numberMisscheduled', 'desiredNumberScheduled', 'numberReady'),
      ...pointers('collisionCount'),
      conditions: CONDITIONS,
    }),
  ),
});

const ADDRESS = struct('NodeAddress', scalars('type', 'address'));
const IP = struct('IP', scalars('ip'));

/** `events.k8s.io` */
export const NEW_EVENT: Struct = rootOf('Event', {
  ...opaques('eventTime', 'series', 'regarding', 'related', 'deprecatedSource'),
  ...opaques('deprecatedFirstTimestamp', 'deprecatedLastTimestamp'),
  ...scalars(
    'reportingController',
    'reportingInstance',
    'action',
    'reason',
    'note',
    'type',
    'deprecatedCount',
  ),
});

/** Fields of each kind, by its name. Fields that only matter as a single value are opaque. */
export const SCHEMAS = {
  ConfigMap: rootOf('ConfigMap', { data: strings, binaryData: strings, immutable: pointer }),
  ControllerRevision: rootOf('ControllerRevision', { data: opaque, revision: pointer }),
  DaemonSet: DAEMON_SET,
  Deployment: DEPLOYMENT,
  Endpoints: rootOf('Endpoints', { subsets: opaque }),
  Event: rootOf('Event', {
    ...opaques(
      'involvedObject',
      'source',
      'series',
      'related',
      'eventTime',
      'firstTimestamp',
      'lastTimestamp',
    ),
    ...scalars('reason', 'message', 'type', 'count', 'action'),
    // Written even when empty.
    ...pointers('reportingComponent', 'reportingInstance'),
  }),
  HorizontalPodAutoscaler: rootOf('HorizontalPodAutoscaler', {
    spec: value(
      struct('HorizontalPodAutoscalerSpec', {
        scaleTargetRef: value(struct('CrossVersionObjectReference', scalars('kind', 'name', 'apiVersion'))),
        ...opaques('metrics', 'behavior'),
        ...pointers('minReplicas', 'maxReplicas'),
      }),
    ),
    status: value(
      struct('HorizontalPodAutoscalerStatus', {
        ...pointers('observedGeneration', 'lastScaleTime', 'desiredReplicas'),
        ...scalars('currentReplicas'),
        currentMetrics: opaque,
        conditions: CONDITIONS,
      }),
    ),
  }),
  Lease: rootOf('Lease', {
    spec: value(
      struct(
        'LeaseSpec',
        pointers(
          ...[
            'holderIdentity',
            'leaseDurationSeconds',
            'acquireTime',
            'renewTime',
            'leaseTransitions',
            'strategy',
          ],
          'preferredHolder',
        ),
      ),
    ),
  }),
  LimitRange: rootOf('LimitRange', {
    spec: value(
      struct('LimitRangeSpec', {
        limits: list(
          struct('LimitRangeItem', {
            type: scalar,
            max: quantities,
            min: quantities,
            default: quantities,
            defaultRequest: quantities,
            maxLimitRequestRatio: quantities,
          }),
        ),
      }),
    ),
  }),
  Namespace: rootOf('Namespace', {
    spec: value(struct('NamespaceSpec', { finalizers: list() })),
    status: value(struct('NamespaceStatus', { phase: scalar, conditions: CONDITIONS })),
  }),
  Node: rootOf('Node', {
    spec: value(
      struct('NodeSpec', {
        ...scalars('podCIDR', 'providerID', 'unschedulable', 'externalID'),
        podCIDRs: list(),
        taints: list(),
        configSource: opaque,
      }),
    ),
    status: value(
      struct('NodeStatus', {
        capacity: quantities,
        allocatable: quantities,
        addresses: keyed(ADDRESS, 'type'),
        conditions: CONDITIONS,
        phase: scalar,
        ...opaques('config', 'daemonEndpoints', 'features', 'images', 'nodeInfo', 'runtimeHandlers'),
        ...opaques('volumesAttached', 'volumesInUse', 'declaredFeatures'),
      }),
    ),
  }),
  PersistentVolumeClaim: CLAIM,
  Pod: rootOf('Pod', {
    spec: value(POD_SPEC),
    status: value(
      struct('PodStatus', {
        ...scalars(
          'observedGeneration',
          'phase',
          'message',
          'reason',
          'nominatedNodeName',
          'hostIP',
          'podIP',
        ),
        ...scalars('startTime', 'qosClass', 'resize'),
        conditions: CONDITIONS,
        hostIPs: list(IP),
        podIPs: keyed(IP, 'ip'),
        ...opaques('containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'),
        ...opaques('allocatedResources', 'resources', 'resourceClaimStatuses', 'extendedResourceClaimStatus'),
      }),
    ),
  }),
  PodDisruptionBudget: rootOf('PodDisruptionBudget', {
    spec: value(
      struct('PodDisruptionBudgetSpec', {
        ...pointers('minAvailable', 'maxUnavailable', 'unhealthyPodEvictionPolicy'),
        selector: optional(SELECTOR),
      }),
    ),
    status: value(
      struct('PodDisruptionBudgetStatus', {
        ...scalars('observedGeneration'),
        ...pointers('disruptionsAllowed', 'currentHealthy', 'desiredHealthy', 'expectedPods'),
        disruptedPods: strings,
        conditions: CONDITIONS,
      }),
    ),
  }),
  ReplicaSet: REPLICA_SET,
  ResourceQuota: rootOf('ResourceQuota', {
    spec: value(struct('ResourceQuotaSpec', { hard: quantities, scopes: list(), scopeSelector: opaque })),
    status: value(struct('ResourceQuotaStatus', { hard: quantities, used: quantities })),
  }),
  Secret: rootOf('Secret', { data: strings, stringData: strings, type: scalar, immutable: pointer }),
  Service: rootOf('Service', {
    spec: value(
      struct('ServiceSpec', {
        ...scalars('clusterIP', 'type', 'sessionAffinity', 'loadBalancerIP', 'externalName'),
        ...scalars('externalTrafficPolicy', 'healthCheckNodePort', 'publishNotReadyAddresses'),
        ...pointers('ipFamilyPolicy', 'allocateLoadBalancerNodePorts', 'loadBalancerClass'),
        ...pointers('internalTrafficPolicy', 'trafficDistribution'),
        ports: keyed(
          struct('ServicePort', {
            ...scalars('name', 'protocol', 'port', 'nodePort'),
            ...pointers('appProtocol', 'targetPort'),
          }),
          'port',
          'protocol',
        ),
        selector: strings,
        clusterIPs: list(),
        externalIPs: list(),
        ipFamilies: list(),
        loadBalancerSourceRanges: list(),
        sessionAffinityConfig: opaque,
      }),
    ),
    status: value(
      struct('ServiceStatus', {
        loadBalancer: value(struct('LoadBalancerStatus', { ingress: list() })),
        conditions: CONDITIONS,
      }),
    ),
  }),
  ServiceAccount: rootOf('ServiceAccount', {
    secrets: keyed(struct('ObjectReference', opaques('name', 'namespace', 'kind', 'uid')), 'name'),
    imagePullSecrets: keyed(struct('LocalObjectReference', scalars('name')), 'name'),
    automountServiceAccountToken: pointer,
  }),
  StatefulSet: STATEFUL_SET,
} as const satisfies Record<string, Struct>;
