import { deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import type { Cause } from '@/sandbox/api/objects/api-status';
import type { RestStrategy } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  objectOrEmptyAt,
  showJson,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import {
  forbiddenField,
  immutableField,
  invalidValue,
  nonNegative,
  required,
} from '@/sandbox/api/objects/validation';

const NOT_READY_SECONDS = 300;

/**
 * Of what upstream validates, the mistakes that a person makes with kubectl, and what Shiplog itself writes.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/apps/validation/validation.go
 */
export const STRATEGIES: Readonly<Record<string, RestStrategy>> = {
  /** What defaults and admission add to a pod; a template gets the fields that the field table has. */
  Pod: {
    complete(pod) {
      const spec = objectOrEmptyAt(pod, 'spec');
      spec.enableServiceLinks ??= true;
      for (const key of ['containers', 'initContainers'])
        for (const container of listOrEmptyAt(spec, key)) requestLimits(objectOrEmptyAt(container));
    },
    prepareCreate: startWith({ phase: 'Pending' }),
    admit(pod) {
      const spec = objectOrEmptyAt(pod, 'spec');
      spec.priority ??= 0;
      spec.preemptionPolicy ??= 'PreemptLowerPriority';
      spec.tolerations = tolerationsOf(spec);
    },
    keepOnStatusUpdate: keep('ownerReferences'),
    validate: (pod) => validatePodSpec(objectOrEmptyAt(pod, 'spec'), 'spec'),
  },
  Secret: {
    complete(secret) {
      if (!isJsonObject(secret.stringData)) return;
      const data = { ...objectOrEmptyAt(secret, 'data') };
      for (const [key, text] of Object.entries(secret.stringData))
        data[key] = Buffer.from(showJson(text)).toString('base64');
      secret.data = data;
      delete secret.stringData;
    },
  },
  PodDisruptionBudget: {
    prepareCreate: startWith({
      disruptionsAllowed: 0,
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
    }),
  },
  Namespace: {
    prepareCreate(namespace) {
      const { labels, name } = namespace.metadata;
      namespace.metadata.labels = { ...labels, 'kubernetes.io/metadata.name': name };
      namespace.spec = { finalizers: ['kubernetes'] };
      namespace.status = { phase: 'Active' };
    },
    prepareUpdate: keepSpec,
  },
  /** https://github.com/kubernetes/apiextensions-apiserver/tree/master/pkg/controller/establish */
  CustomResourceDefinition: {
    prepareCreate(definition, time) {
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
  },
  Deployment: {
    prepareCreate: startWith({}),
    // Annotations are copied to ReplicaSets, so a change of them changes the desired state.
    changesGeneration: (next, previous) =>
      !deepEqual(next.metadata.annotations, previous.metadata.annotations),
    keepOnStatusUpdate: keep('labels'),
    validate(deployment) {
      const { type, rollingUpdate } = objectOrEmptyAt(deployment, 'spec', 'strategy');
      const causes = validateWorkload(deployment);
      if (type !== 'Recreate' || rollingUpdate === undefined) return causes;
      const why = "may not be specified when strategy `type` is 'Recreate'";
      return [...causes, forbiddenField('spec.strategy.rollingUpdate', why)];
    },
    validateUpdate: sameSelector,
  },
  ReplicaSet: {
    prepareCreate: startWith({ replicas: 0 }),
    keepOnStatusUpdate: keepSpec,
    validate: validateWorkload,
    validateUpdate: sameSelector,
  },
  StatefulSet: {
    prepareCreate: startWith({ replicas: 0, availableReplicas: 0 }),
    keepOnStatusUpdate: keepSpec,
    validate(statefulSet) {
      const { rollingUpdate = null } = objectOrEmptyAt(statefulSet, 'spec', 'updateStrategy');
      const partition = 'spec.updateStrategy.rollingUpdate.partition';
      return [...nonNegative(rollingUpdate, 'partition', partition), ...validateWorkload(statefulSet)];
    },
    validateUpdate(next, previous) {
      const [now, before] = [next, previous].map(fixedPart);
      const why =
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
        "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden";
      return deepEqual(now, before) ? [] : [forbiddenField('spec', why)];
    },
  },
  DaemonSet: {
    prepareCreate(daemonSet) {
      daemonSet.status = {
        currentNumberScheduled: 0,
        numberMisscheduled: 0,
        desiredNumberScheduled: 0,
        numberReady: 0,
      };
      setTemplateGeneration(daemonSet, Math.max(1, templateGeneration(daemonSet)));
    },
    prepareUpdate(next, previous) {
      const [now, before] = [next, previous].map((object) => objectOrEmptyAt(object, 'spec').template);
      setTemplateGeneration(next, templateGeneration(previous) + (deepEqual(now, before) ? 0 : 1));
    },
    keepOnStatusUpdate: keepSpec,
    validate: validateWorkload,
    validateUpdate: sameSelector,
  },
  ControllerRevision: {
    validate: ({ data = null }) => (data === null ? [required('data', 'data is mandatory')] : []),
    validateUpdate: (next, previous) =>
      deepEqual(next.data, previous.data) ? [] : [immutableField('data', next.data)],
  },
};

function keepSpec(next: StoredObject, previous: StoredObject): void {
  next.spec = previous.spec;
}

/** A write to the status leaves the spec unchanged, and this member of the metadata. */
function keep(key: 'labels' | 'ownerReferences'): RestStrategy['keepOnStatusUpdate'] {
  return (next, previous) => {
    keepSpec(next, previous);
    delete next.metadata[key];
    if (previous.metadata[key] !== undefined) Object.assign(next.metadata, { [key]: previous.metadata[key] });
  };
}

/** A new object has done nothing yet, whatever its author writes to the status. */
function startWith(status: JsonObject): RestStrategy['prepareCreate'] {
  return (object) => {
    object.status = { ...status };
  };
}

/** A limit without a request sets the request too. */
function requestLimits(container: JsonObject): void {
  const resources = objectOrEmptyAt(container, 'resources');
  if (!isJsonObject(resources.limits)) return;
  const requests = { ...resources.limits, ...objectOrEmptyAt(resources, 'requests') };
  container.resources = { ...resources, requests };
}

/** https://kubernetes.io/docs/reference/access-authn-authz/admission-controllers/#defaulttolerationseconds */
function tolerationsOf(spec: JsonObject): Json[] {
  const tolerations = [...listOrEmptyAt(spec, 'tolerations')];
  const effect = 'NoExecute';
  for (const key of ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']) {
    const isTolerated = tolerations
      .map((toleration) => objectOrEmptyAt(toleration))
      .some((known) => (known.key ?? key) === key && (known.effect ?? effect) === effect);
    if (!isTolerated)
      tolerations.push({ key, operator: 'Exists', effect, tolerationSeconds: NOT_READY_SECONDS });
  }
  return tolerations;
}

function validateWorkload(object: StoredObject): Cause[] {
  const spec = objectOrEmptyAt(object, 'spec');
  const labels = objectOrEmptyAt(spec, 'template', 'metadata', 'labels') as Record<string, string>;
  const causes = nonNegative(spec, 'replicas', 'spec.replicas');
  if (!isJsonObject(spec.selector)) causes.push(required('spec.selector'));
  if (!matchesSelector(parseLabelSelector(spec.selector), labels)) {
    const shown = Object.keys(labels).length === 0 ? null : labels;
    const why = '`selector` does not match template `labels`';
    causes.push(invalidValue('spec.template.metadata.labels', shown, why));
  }
  return [...causes, ...validatePodSpec(objectOrEmptyAt(spec, 'template', 'spec'), 'spec.template.spec')];
}

function validatePodSpec(spec: JsonObject, path: string): Cause[] {
  const containers = listOrEmptyAt(spec, 'containers');
  if (containers.length === 0) return [required(`${path}.containers`)];
  return containers.flatMap((container, index) =>
    textOrEmptyAt(container, 'image') === '' ? [required(`${path}.containers[${index}].image`)] : [],
  );
}

function sameSelector(next: StoredObject, previous: StoredObject): Cause[] {
  const [now, before] = [next, previous].map((object) => objectOrEmptyAt(object, 'spec').selector);
  return deepEqual(now, before) ? [] : [immutableField('spec.selector', now)];
}

/** Fields of a StatefulSet that may change. */
const CHANGEABLE = new Set([
  'replicas',
  'ordinals',
  'template',
  'updateStrategy',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
  'minReadySeconds',
]);

function fixedPart(statefulSet: StoredObject): JsonObject {
  const fields = Object.entries(objectOrEmptyAt(statefulSet, 'spec'));
  return Object.fromEntries(fields.filter(([key]) => !CHANGEABLE.has(key)));
}

/** Counts changes of the template; older than the generation, and still maintained. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

function templateGeneration({ metadata }: StoredObject): number {
  return Number(metadata.annotations?.[TEMPLATE_GENERATION] ?? 0) || 0;
}

function setTemplateGeneration({ metadata }: StoredObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}
