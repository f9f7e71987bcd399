import { deepEqual, isJsonObject, type JsonObject } from '@/lib/kube/json';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { type Cause, forbiddenField, required, unsupported } from '@/sandbox/api/objects/api-status';
import { type RestStrategy } from '@/sandbox/api/objects/resource-kind';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import { immutableField, invalidValue, nonNegative } from '@/sandbox/api/objects/validation';

// Of what upstream validates, the mistakes that a person makes with kubectl, and what Shiplog itself writes.
// https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/apps/validation/validation.go

function keepSpec(next: StoredObject, previous: StoredObject): void {
  next.spec = previous.spec;
}

/** A new object has done nothing yet, whatever its author writes to the status. */
function startWith(status: JsonObject): RestStrategy['prepareCreate'] {
  return (object) => {
    object.status = { ...status };
  };
}

function validateWorkload(object: StoredObject): Cause[] {
  const spec = objectOrEmptyAt(object, 'spec');
  const labels = objectOrEmptyAt(spec, 'template', 'metadata', 'labels') as Record<string, string>;
  const shown = Object.keys(labels).length === 0 ? null : labels;

  return [
    ...nonNegative(spec, 'replicas', 'spec.replicas'),
    ...(isJsonObject(spec.selector) ? [] : [required('spec.selector')]),
    ...(matchesSelector(parseLabelSelector(spec.selector), labels)
      ? []
      : [
          invalidValue('spec.template.metadata.labels', shown, '`selector` does not match template `labels`'),
        ]),
    ...validatePodSpec(objectOrEmptyAt(spec, 'template', 'spec'), 'spec.template.spec'),
  ];
}

export function validatePodSpec(spec: JsonObject, path: string): Cause[] {
  const containers = listOrEmptyAt(spec, 'containers');
  if (containers.length === 0) return [required(`${path}.containers`)];

  return containers.flatMap((container, index) =>
    textOrEmptyAt(container, 'image') === '' ? [required(`${path}.containers[${index}].image`)] : [],
  );
}

function sameSelector(next: StoredObject, previous: StoredObject): Cause[] {
  const [now, before] = [objectOrEmptyAt(next, 'spec').selector, objectOrEmptyAt(previous, 'spec').selector];

  return deepEqual(now, before) ? [] : [immutableField('spec.selector', now)];
}

export const deploymentStrategy: RestStrategy = {
  prepareCreate: startWith({}),
  // Annotations are copied to ReplicaSets, so a change of them changes the desired state.
  changesGeneration: (next, previous) => !deepEqual(next.metadata.annotations, previous.metadata.annotations),
  keepOnStatusUpdate(next, previous) {
    keepSpec(next, previous);
    if (previous.metadata.labels === undefined) delete next.metadata.labels;
    else next.metadata.labels = previous.metadata.labels;
  },
  validate(deployment) {
    const { type, rollingUpdate } = objectOrEmptyAt(deployment, 'spec', 'strategy');
    if (type !== 'Recreate' || rollingUpdate === undefined) return validateWorkload(deployment);

    return [
      ...validateWorkload(deployment),
      forbiddenField(
        'spec.strategy.rollingUpdate',
        "may not be specified when strategy `type` is 'Recreate'",
      ),
    ];
  },
  validateUpdate: (next, previous) => [...sameSelector(next, previous), ...validateCounts(next)],
};

/** Counts of the pods of a Deployment: none exceeds the total. */
function validateCounts(deployment: StoredObject): Cause[] {
  const status = objectOrEmptyAt(deployment, 'status');
  const causes = ['updatedReplicas', 'readyReplicas', 'availableReplicas'].flatMap((key) => {
    const count = numberOrZeroAt(status, key);
    return count > numberOrZeroAt(status, 'replicas')
      ? [invalidValue(`status.${key}`, count, 'cannot be greater than status.replicas')]
      : [];
  });
  const available = numberOrZeroAt(status, 'availableReplicas');

  return available > numberOrZeroAt(status, 'readyReplicas')
    ? [...causes, invalidValue('status.availableReplicas', available, 'cannot be greater than readyReplicas')]
    : causes;
}

export const replicaSetStrategy: RestStrategy = {
  prepareCreate: startWith({ replicas: 0 }),
  keepOnStatusUpdate: keepSpec,
  validate: validateWorkload,
  validateUpdate: sameSelector,
};

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

export const statefulSetStrategy: RestStrategy = {
  prepareCreate: startWith({ replicas: 0, availableReplicas: 0 }),
  keepOnStatusUpdate: keepSpec,
  validate(statefulSet) {
    const { type, rollingUpdate = null } = objectOrEmptyAt(statefulSet, 'spec', 'updateStrategy');
    const path = 'spec.updateStrategy';
    const strategy = { Type: type, RollingUpdate: rollingUpdate };

    return [
      ...(type === 'RollingUpdate' || type === 'OnDelete'
        ? nonNegative(rollingUpdate, 'partition', `${path}.rollingUpdate.partition`)
        : [invalidValue(path, strategy, "must be 'RollingUpdate' or 'OnDelete'")]),
      ...validateWorkload(statefulSet),
    ];
  },
  validateUpdate(next, previous) {
    const fixed = (object: StoredObject): JsonObject =>
      Object.fromEntries(
        Object.entries(objectOrEmptyAt(object, 'spec')).filter(([key]) => !CHANGEABLE.has(key)),
      );
    if (deepEqual(fixed(next), fixed(previous))) return [];

    return [
      forbiddenField(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
          "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    ];
  },
};

/** Counts changes of the template; older than the generation, and still maintained. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetStrategy: RestStrategy = {
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
  validate(daemonSet) {
    const strategy = objectOrEmptyAt(daemonSet, 'spec', 'updateStrategy');
    const types = ['RollingUpdate', 'OnDelete'];

    return [
      ...validateWorkload(daemonSet),
      ...(types.includes(textOrEmptyAt(strategy, 'type'))
        ? []
        : [unsupported('spec.updateStrategy', strategy, types)]),
    ];
  },
  validateUpdate: sameSelector,
};

function templateGeneration({ metadata }: StoredObject): number {
  return Number(metadata.annotations?.[TEMPLATE_GENERATION] ?? 0) || 0;
}

function setTemplateGeneration({ metadata }: StoredObject, generation: number): void {
  metadata.annotations = { ...metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
}

export const controllerRevisionStrategy: RestStrategy = {
  validate: ({ data = null }) => (data === null ? [required('data', 'data is mandatory')] : []),
  validateUpdate: (next, previous) =>
    deepEqual(next.data, previous.data) ? [] : [immutableField('data', next.data)],
};
