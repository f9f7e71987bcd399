import { createHash } from 'node:crypto';
import { deepEqual, isJsonObject, type JsonObject } from '@/lib/kube/json';
import { forbiddenField } from '@/sandbox/api/objects/api-status';
import { type RestStrategy } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  objectOrEmptyAt,
  showJson,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import { validatePodSpec } from '@/sandbox/api/strategies/pod-template';
import { completeClaim } from '@/sandbox/api/strategies/workload';

const NOT_READY_SECONDS = 300;

/** What defaults and admission add to a pod; a template gets the fields that the field table has. */
export const podStrategy: RestStrategy = {
  complete(pod) {
    const spec = isJsonObject(pod.spec) ? pod.spec : {};
    pod.spec = spec;
    spec.enableServiceLinks ??= true;
    for (const container of [...listOrEmptyAt(spec, 'containers'), ...listOrEmptyAt(spec, 'initContainers')])
      requestLimits(objectOrEmptyAt({ container }, 'container'));
  },
  prepareCreate(pod) {
    pod.status = { phase: 'Pending', qosClass: qosClass(objectOrEmptyAt(pod, 'spec')) };
  },
  admit(pod) {
    const spec = objectOrEmptyAt(pod, 'spec');
    spec.priority ??= 0;
    spec.preemptionPolicy ??= 'PreemptLowerPriority';
    spec.tolerations = tolerationsOf(spec);
  },
  keepOnStatusUpdate(next, previous) {
    next.spec = previous.spec;
    if (previous.metadata.ownerReferences === undefined) delete next.metadata.ownerReferences;
    else next.metadata.ownerReferences = previous.metadata.ownerReferences;
  },
  validate: (pod) => validatePodSpec(objectOrEmptyAt(pod, 'spec'), 'spec'),
  validateUpdate(next, previous) {
    const [node, before] = [next, previous].map((pod) => textOrEmptyAt(pod, 'spec', 'nodeName'));
    // A pod is bound to a node once.
    const isMoved = node !== before && before !== '';
    if (!isMoved && deepEqual(fixedParts(next), fixedParts(previous))) return [];

    return [
      forbiddenField(
        'spec',
        'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,' +
          '`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),' +
          '`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
      ),
    ];
  },
};

/** A limit without a request sets the request too. */
function requestLimits(container: JsonObject): void {
  const { limits, requests } = objectOrEmptyAt(container, 'resources');
  if (!isJsonObject(limits)) return;
  container.resources = {
    ...objectOrEmptyAt(container, 'resources'),
    requests: { ...limits, ...(isJsonObject(requests) ? requests : {}) },
  };
}

/** https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds */
function tolerationsOf(spec: JsonObject): JsonObject[] {
  const present = listOrEmptyAt(spec, 'tolerations').filter(isJsonObject);
  const missing = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'].filter(
    (key) =>
      !present.some(
        (toleration) =>
          (toleration.key === key || toleration.key === undefined) &&
          (toleration.effect === 'NoExecute' || toleration.effect === undefined),
      ),
  );

  return [
    ...present,
    ...missing.map((key) => ({
      key,
      operator: 'Exists',
      effect: 'NoExecute',
      tolerationSeconds: NOT_READY_SECONDS,
    })),
  ];
}

/** https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/ */
function qosClass(spec: JsonObject): string {
  const resources = [...listOrEmptyAt(spec, 'containers'), ...listOrEmptyAt(spec, 'initContainers')].map(
    (container) => objectOrEmptyAt(container, 'resources'),
  );
  const hasAny = resources.some(
    (entry) =>
      Object.keys(objectOrEmptyAt(entry, 'limits')).length +
        Object.keys(objectOrEmptyAt(entry, 'requests')).length >
      0,
  );
  if (!hasAny) return 'BestEffort';
  const isExact = resources.every(({ limits, requests }) =>
    ['cpu', 'memory'].every(
      (name) =>
        objectOrEmptyAt({ limits }, 'limits')[name] !== undefined &&
        objectOrEmptyAt({ limits }, 'limits')[name] === objectOrEmptyAt({ requests }, 'requests')[name],
    ),
  );

  return isExact ? 'Guaranteed' : 'Burstable';
}

function fixedParts(pod: StoredObject): JsonObject {
  const {
    containers: _c,
    initContainers: _i,
    activeDeadlineSeconds: _a,
    tolerations: _t,
    ...rest
  } = objectOrEmptyAt(pod, 'spec');
  const {
    terminationGracePeriodSeconds: _g,
    nodeName: _n,
    ephemeralContainers: _e,
    schedulingGates: _s,
    ...spec
  } = rest;
  const withoutImage = (list: string) =>
    listOrEmptyAt(pod, 'spec', list).map((container) => {
      const { image: _image, resources: _resources, ...parts } = objectOrEmptyAt({ container }, 'container');
      return parts;
    });

  return { ...spec, containers: withoutImage('containers'), initContainers: withoutImage('initContainers') };
}

export const claimStrategy: RestStrategy = {
  complete: completeClaim,
};

export const secretStrategy: RestStrategy = {
  complete(secret) {
    secret.type ??= 'Opaque';
    if (!isJsonObject(secret.stringData)) return;
    const plain = Object.entries(secret.stringData).map(([key, text]) => [
      key,
      Buffer.from(showJson(text)).toString('base64'),
    ]);
    secret.data = { ...objectOrEmptyAt(secret, 'data'), ...(Object.fromEntries(plain) as JsonObject) };
    delete secret.stringData;
  },
};

export const serviceStrategy: RestStrategy = {
  complete(service) {
    const spec = isJsonObject(service.spec) ? service.spec : {};
    service.spec = spec;
    spec.type ??= 'ClusterIP';
    spec.sessionAffinity ??= 'None';
    spec.internalTrafficPolicy ??= 'Cluster';
    for (const port of listOrEmptyAt(spec, 'ports')) {
      if (!isJsonObject(port)) continue;
      port.protocol ??= 'TCP';
      port.targetPort ??= port.port;
    }
  },
  admit(service) {
    const spec = objectOrEmptyAt(service, 'spec');
    if (spec.type === 'ExternalName') return;
    spec.clusterIP ??= addressFor(service);
    spec.clusterIPs ??= [spec.clusterIP];
    spec.ipFamilies ??= ['IPv4'];
    spec.ipFamilyPolicy ??= 'SingleStack';
  },
  prepareUpdate(next, previous) {
    const given = ['clusterIP', 'clusterIPs', 'ipFamilies', 'ipFamilyPolicy'] as const;
    for (const key of given) objectOrEmptyAt(next, 'spec')[key] ??= objectOrEmptyAt(previous, 'spec')[key];
  },
};

/** No server listens there; the address is only shown. */
function addressFor({ metadata }: StoredObject): string {
  const [a, b] = createHash('sha256').update(`${metadata.namespace}/${metadata.name}`).digest();

  return `10.96.${a}.${b}`;
}

const HALF_BUSY: JsonObject = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
};

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/autoscaling/v2/defaults.go */
export const autoscalerStrategy: RestStrategy = {
  complete(autoscaler) {
    const spec = isJsonObject(autoscaler.spec) ? autoscaler.spec : {};
    autoscaler.spec = spec;
    spec.minReplicas ??= 1;
    spec.metrics ??= [HALF_BUSY];
    autoscaler.status = {
      desiredReplicas: 0,
      currentMetrics: null,
      ...objectOrEmptyAt(autoscaler, 'status'),
    };
  },
};

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/v1/defaults.go */
export const limitRangeStrategy: RestStrategy = {
  complete(range) {
    for (const limit of listOrEmptyAt(range, 'spec', 'limits')) {
      if (!isJsonObject(limit) || limit.type !== 'Container') continue;
      const most = { ...objectOrEmptyAt(limit, 'max'), ...objectOrEmptyAt(limit, 'default') };
      const least = {
        ...most,
        ...objectOrEmptyAt(limit, 'min'),
        ...objectOrEmptyAt(limit, 'defaultRequest'),
      };
      if (Object.keys(most).length > 0) limit.default = most;
      if (Object.keys(least).length > 0) limit.defaultRequest = least;
    }
  },
};

export const budgetStrategy: RestStrategy = {
  prepareCreate(budget) {
    budget.status = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 };
  },
};

export const namespaceStrategy: RestStrategy = {
  prepareCreate(namespace) {
    namespace.metadata.labels = {
      ...namespace.metadata.labels,
      'kubernetes.io/metadata.name': namespace.metadata.name,
    };
    namespace.spec = { finalizers: ['kubernetes'] };
    namespace.status = { phase: 'Active' };
  },
  prepareUpdate(namespace, previous) {
    namespace.spec = previous.spec;
  },
};
