import { POD_TEMPLATE } from '@/lib/diff/fields';
import { deepEqual, isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { type Cause, forbiddenField, required, unsupported } from '@/sandbox/api/objects/api-status';
import { type RestStrategy } from '@/sandbox/api/objects/resource-kind';
import { semanticallyEqual } from '@/sandbox/api/objects/semantic-equality';
import {
  listOrEmptyAt,
  numberOrZeroAt,
  objectOrEmptyAt,
  type StoredObject,
  textOrEmptyAt,
} from '@/sandbox/api/objects/stored-object';
import { validateSelector, validateTemplate } from '@/sandbox/api/strategies/pod-template';
import {
  deploymentStatus,
  replicaSetStatus,
  statefulSetStatus,
} from '@/sandbox/api/strategies/workload-status';
import { immutableField, invalidValue, nonNegative } from '@/sandbox/api/objects/validation';

const QUARTER = '25%';

function specOf(object: StoredObject): JsonObject {
  if (!isJsonObject(object.spec)) object.spec = {};
  return objectOrEmptyAt(object, 'spec');
}

function withDefault(object: JsonObject, key: string, value: Json): void {
  object[key] ??= value;
}

/** A new object has done nothing yet, whatever its author writes to the status. */
function clearStatus(object: StoredObject, status: JsonObject = {}): void {
  object.status = status;
}

function sameSelector(next: StoredObject, previous: StoredObject): Cause[] {
  const [now, before] = [objectOrEmptyAt(next, 'spec').selector, objectOrEmptyAt(previous, 'spec').selector];

  return deepEqual(now, before) ? [] : [immutableField('spec.selector', now)];
}

function keepSpec(next: StoredObject, previous: StoredObject): void {
  next.spec = previous.spec;
}

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/apps/v1/defaults.go */
export const deploymentStrategy: RestStrategy = {
  complete(deployment) {
    const spec = specOf(deployment);
    withDefault(spec, 'replicas', 1);
    withDefault(spec, 'revisionHistoryLimit', 10);
    withDefault(spec, 'progressDeadlineSeconds', 600);
    const strategy = objectOrEmptyAt(spec, 'strategy');
    withDefault(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate = {
        maxUnavailable: QUARTER,
        maxSurge: QUARTER,
        ...objectOrEmptyAt(strategy, 'rollingUpdate'),
      };
    }
    spec.strategy = strategy;
  },
  prepareCreate: (deployment) => clearStatus(deployment),
  // Annotations are copied to ReplicaSets, so a change of them changes the desired state.
  changesGeneration: (next, previous) => !deepEqual(next.metadata.annotations, previous.metadata.annotations),
  keepOnStatusUpdate(next, previous) {
    keepSpec(next, previous);
    if (previous.metadata.labels === undefined) delete next.metadata.labels;
    else next.metadata.labels = previous.metadata.labels;
  },
  validate(deployment) {
    const spec = objectOrEmptyAt(deployment, 'spec');
    const deadline = numberOrZeroAt(spec, 'progressDeadlineSeconds');
    const minReady = numberOrZeroAt(spec, 'minReadySeconds');

    return [
      ...nonNegative(spec, 'replicas', 'spec.replicas'),
      ...validateSelector(spec, 'deployment'),
      ...validateTemplate(spec),
      ...validateDeploymentStrategy(objectOrEmptyAt(spec, 'strategy')),
      ...nonNegative(spec, 'minReadySeconds', 'spec.minReadySeconds'),
      ...nonNegative(spec, 'revisionHistoryLimit', 'spec.revisionHistoryLimit'),
      ...nonNegative(spec, 'progressDeadlineSeconds', 'spec.progressDeadlineSeconds'),
      ...(deadline <= minReady
        ? [invalidValue('spec.progressDeadlineSeconds', deadline, 'must be greater than minReadySeconds')]
        : []),
    ];
  },
  validateUpdate: (next, previous) => [...sameSelector(next, previous), ...deploymentStatus(next)],
};

function validateDeploymentStrategy(strategy: JsonObject): Cause[] {
  switch (strategy.type) {
    case 'Recreate':
      return strategy.rollingUpdate === undefined
        ? []
        : [
            forbiddenField(
              'spec.strategy.rollingUpdate',
              "may not be specified when strategy `type` is 'Recreate'",
            ),
          ];
    case 'RollingUpdate': {
      const { maxUnavailable, maxSurge } = objectOrEmptyAt(strategy, 'rollingUpdate');
      return isZero(maxUnavailable) && isZero(maxSurge)
        ? [
            invalidValue(
              'spec.strategy.rollingUpdate.maxUnavailable',
              maxUnavailable,
              'may not be 0 when `maxSurge` is 0',
            ),
          ]
        : [];
    }
    default:
      return [
        unsupported('spec.strategy', { Type: strategy.type, RollingUpdate: strategy.rollingUpdate ?? null }, [
          'Recreate',
          'RollingUpdate',
        ]),
      ];
  }
}

function isZero(amount: Json | undefined): boolean {
  return amount === 0 || amount === '0%';
}

export const replicaSetStrategy: RestStrategy = {
  complete(replicaSet) {
    withDefault(specOf(replicaSet), 'replicas', 1);
  },
  prepareCreate: (replicaSet) => clearStatus(replicaSet, { replicas: 0 }),
  keepOnStatusUpdate: keepSpec,
  validate(replicaSet) {
    const spec = objectOrEmptyAt(replicaSet, 'spec');

    return [
      ...nonNegative(spec, 'replicas', 'spec.replicas'),
      ...nonNegative(spec, 'minReadySeconds', 'spec.minReadySeconds'),
      ...validateSelector(spec, 'deployment'),
      ...validateTemplate(spec),
    ];
  },
  validateUpdate: (next, previous) => [...sameSelector(next, previous), ...replicaSetStatus(next)],
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
  complete(statefulSet) {
    const spec = specOf(statefulSet);
    withDefault(spec, 'replicas', 1);
    withDefault(spec, 'podManagementPolicy', 'OrderedReady');
    withDefault(spec, 'revisionHistoryLimit', 10);
    const strategy = objectOrEmptyAt(spec, 'updateStrategy');
    // Only where nothing is set: a bare type keeps its missing block.
    if (strategy.type === undefined) {
      strategy.type = 'RollingUpdate';
      strategy.rollingUpdate = { partition: 0, ...objectOrEmptyAt(strategy, 'rollingUpdate') };
    } else if (strategy.type === 'RollingUpdate' && isJsonObject(strategy.rollingUpdate)) {
      strategy.rollingUpdate = { partition: 0, ...strategy.rollingUpdate };
    }
    spec.updateStrategy = strategy;
    spec.persistentVolumeClaimRetentionPolicy = {
      whenDeleted: 'Retain',
      whenScaled: 'Retain',
      ...objectOrEmptyAt(spec, 'persistentVolumeClaimRetentionPolicy'),
    };
    if (Array.isArray(spec.volumeClaimTemplates)) spec.volumeClaimTemplates.forEach(completeClaim);
  },
  prepareCreate: (statefulSet) => clearStatus(statefulSet, { replicas: 0, availableReplicas: 0 }),
  keepOnStatusUpdate: keepSpec,
  validate(statefulSet) {
    const spec = objectOrEmptyAt(statefulSet, 'spec');
    const claims = listOrEmptyAt(spec, 'volumeClaimTemplates').map((claim) =>
      textOrEmptyAt(claim, 'metadata', 'name'),
    );

    return [
      ...validateStatefulSetStrategy(spec),
      ...nonNegative(spec, 'replicas', 'spec.replicas'),
      ...nonNegative(spec, 'minReadySeconds', 'spec.minReadySeconds'),
      ...validateSelector(spec, 'statefulset'),
      ...validateTemplate(spec, claims),
    ];
  },
  validateUpdate(next, previous) {
    const fixed = (object: StoredObject): JsonObject =>
      Object.fromEntries(
        Object.entries(objectOrEmptyAt(object, 'spec')).filter(([key]) => !CHANGEABLE.has(key)),
      );
    const status = statefulSetStatus(next);
    if (deepEqual(fixed(next), fixed(previous))) return status;

    return [
      ...status,
      forbiddenField(
        'spec',
        "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', " +
          "'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
      ),
    ];
  },
};

/** https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/v1/defaults.go */
export function completeClaim(claim: Json): void {
  if (!isJsonObject(claim)) return;
  claim.apiVersion ??= 'v1';
  claim.kind ??= 'PersistentVolumeClaim';
  claim.spec = { volumeMode: 'Filesystem', ...objectOrEmptyAt(claim, 'spec') };
  claim.status = { phase: 'Pending', ...objectOrEmptyAt(claim, 'status') };
}

function validateStatefulSetStrategy(spec: JsonObject): Cause[] {
  const policy = textOrEmptyAt(spec, 'podManagementPolicy');
  const { type, rollingUpdate } = objectOrEmptyAt(spec, 'updateStrategy');
  const path = 'spec.updateStrategy';
  const causes =
    policy === 'OrderedReady' || policy === 'Parallel'
      ? []
      : [invalidValue('spec.podManagementPolicy', policy, "must be 'OrderedReady' or 'Parallel'")];
  if (type === 'OnDelete') {
    if (rollingUpdate !== undefined) {
      causes.push(
        invalidValue(
          `${path}.rollingUpdate`,
          rollingUpdate,
          "only allowed for updateStrategy 'RollingUpdate'",
        ),
      );
    }
    return causes;
  }
  if (type !== 'RollingUpdate')
    return [
      ...causes,
      invalidValue(
        path,
        { Type: type, RollingUpdate: rollingUpdate ?? null },
        "must be 'RollingUpdate' or 'OnDelete'",
      ),
    ];

  return [
    ...causes,
    ...nonNegative(
      objectOrEmptyAt({ rollingUpdate }, 'rollingUpdate'),
      'partition',
      `${path}.rollingUpdate.partition`,
    ),
  ];
}

/** Counts changes of the template; older than the generation, and still maintained. */
const TEMPLATE_GENERATION = 'deprecated.daemonset.template.generation';

export const daemonSetStrategy: RestStrategy = {
  complete(daemonSet) {
    const spec = specOf(daemonSet);
    withDefault(spec, 'revisionHistoryLimit', 10);
    const strategy = objectOrEmptyAt(spec, 'updateStrategy');
    withDefault(strategy, 'type', 'RollingUpdate');
    if (strategy.type === 'RollingUpdate') {
      strategy.rollingUpdate = {
        maxUnavailable: 1,
        maxSurge: 0,
        ...objectOrEmptyAt(strategy, 'rollingUpdate'),
      };
    }
    spec.updateStrategy = strategy;
  },
  prepareCreate(daemonSet) {
    clearStatus(daemonSet, {
      currentNumberScheduled: 0,
      numberMisscheduled: 0,
      desiredNumberScheduled: 0,
      numberReady: 0,
    });
    setTemplateGeneration(daemonSet, Math.max(1, templateGeneration(daemonSet)));
  },
  prepareUpdate(next, previous) {
    const [now, before] = [
      objectOrEmptyAt(next, 'spec').template,
      objectOrEmptyAt(previous, 'spec').template,
    ];
    const isSame = semanticallyEqual(POD_TEMPLATE, now, before);
    setTemplateGeneration(next, templateGeneration(previous) + (isSame ? 0 : 1));
  },
  keepOnStatusUpdate: keepSpec,
  validate(daemonSet) {
    const spec = objectOrEmptyAt(daemonSet, 'spec');

    return [
      ...validateTemplate(spec),
      ...(isJsonObject(spec.selector) ? validateSelector(spec, 'daemonset') : []),
      ...nonNegative(spec, 'minReadySeconds', 'spec.minReadySeconds'),
      ...validateDaemonSetStrategy(objectOrEmptyAt(spec, 'updateStrategy')),
      ...nonNegative(spec, 'revisionHistoryLimit', 'spec.revisionHistoryLimit'),
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

function validateDaemonSetStrategy(strategy: JsonObject): Cause[] {
  const path = 'spec.updateStrategy';
  if (strategy.type === 'OnDelete') return [];
  if (strategy.type !== 'RollingUpdate') return [unsupported(path, strategy, ['RollingUpdate', 'OnDelete'])];
  const { maxUnavailable, maxSurge } = objectOrEmptyAt(strategy, 'rollingUpdate');
  if (!isZero(maxUnavailable) && !isZero(maxSurge)) {
    return [
      invalidValue(
        `${path}.rollingUpdate.maxSurge`,
        maxSurge,
        'may not be set when maxUnavailable is non-zero',
      ),
    ];
  }
  if (isZero(maxUnavailable) && isZero(maxSurge))
    return [required(`${path}.rollingUpdate.maxUnavailable`, 'cannot be 0 when maxSurge is 0')];

  return [];
}

export const controllerRevisionStrategy: RestStrategy = {
  complete(revision) {
    withDefault(revision, 'revision', 0);
  },
  validate(revision) {
    const negative = nonNegative(revision, 'revision', 'revision');
    if (revision.data === undefined || revision.data === null)
      return [...negative, required('data', 'data is mandatory')];
    if (!isJsonObject(revision.data))
      return [...negative, required('data', 'data must be a valid JSON object')];

    return negative;
  },
  validateUpdate: (next, previous) =>
    deepEqual(next.data, previous.data) ? [] : [immutableField('data', next.data)],
};
