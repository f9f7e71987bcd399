import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import { type RestStrategy } from '@/sandbox/api/objects/resource-kind';
import { listOrEmptyAt, objectOrEmptyAt, showJson } from '@/sandbox/api/objects/stored-object';
import { validatePodSpec } from '@/sandbox/api/strategies/workload';

const NOT_READY_SECONDS = 300;

/** What defaults and admission add to a pod; a template gets the fields that the field table has. */
export const podStrategy: RestStrategy = {
  complete(pod) {
    const spec = objectOrEmptyAt(pod, 'spec');
    spec.enableServiceLinks ??= true;
    for (const container of [...listOrEmptyAt(spec, 'containers'), ...listOrEmptyAt(spec, 'initContainers')])
      requestLimits(objectOrEmptyAt(container));
  },
  prepareCreate(pod) {
    pod.status = { phase: 'Pending' };
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
};

/** A limit without a request sets the request too. */
function requestLimits(container: JsonObject): void {
  const { limits, requests } = objectOrEmptyAt(container, 'resources');
  if (!isJsonObject(limits)) return;
  container.resources = {
    ...objectOrEmptyAt(container, 'resources'),
    requests: { ...limits, ...objectOrEmptyAt(requests) },
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

export const secretStrategy: RestStrategy = {
  complete(secret) {
    if (!isJsonObject(secret.stringData)) return;
    const plain = Object.entries(secret.stringData).map(([key, text]) => [
      key,
      Buffer.from(showJson(text)).toString('base64'),
    ]);
    secret.data = { ...objectOrEmptyAt(secret, 'data'), ...(Object.fromEntries(plain) as JsonObject) };
    delete secret.stringData;
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

/** https://github.com/kubernetes/apiextensions-apiserver/tree/master/pkg/controller/establish */
export const customResourceDefinitionStrategy: RestStrategy = {
  prepareCreate(definition, { time }) {
    const condition = (type: string, reason: string, message: string) => ({
      type,
      status: 'True',
      lastTransitionTime: time,
      reason,
      message,
    });
    definition.status = {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: objectOrEmptyAt(definition.spec, 'names'),
    };
  },
};
