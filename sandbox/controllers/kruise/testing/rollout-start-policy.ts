import { type JsonObject } from '@/lib/kube/json';
import { ORIGINAL_UPDATE_TYPE } from '@/sandbox/controllers/kruise/batch-release/daemon-set-annotations';
import {
  annotated,
  BEGINS,
  BEGINS_ON_NODES,
  IN_PROGRESSING,
  IS_SURGING,
  RUNS_AWAY,
  STEPPED,
} from '@/sandbox/controllers/kruise/testing/rollout-start-conditions';

interface HeldKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** CEL: the operations that hold every pod at its revision. */
  readonly hold: string;
  /** CEL: operations on annotations, which exist by then. */
  readonly note?: string;
  /** CEL: a further condition for the start of a rollout. */
  readonly begins: string;
}

/** Larger than any number of pods: none is updated. */
const HOLD_ALL = 32_767;

const NOTED = `"{\\"rolloutName\\":\\"" + params.metadata.name + "\\"}"`;

const NOTE = `(has(object.metadata.annotations)
  ? [JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey(${JSON.stringify(IN_PROGRESSING)}), value: ${NOTED}}]
  : [JSONPatch{op: "add", path: "/metadata/annotations", value: {${JSON.stringify(IN_PROGRESSING)}: ${NOTED}}}])`;

const HELD: readonly HeldKind[] = [
  {
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    hold: '[JSONPatch{op: "add", path: "/spec/paused", value: true}]',
    begins: `(${BEGINS}) || (${RUNS_AWAY})`,
  },
  { group: 'apps', version: 'v1', plural: 'statefulsets', hold: holdAt(HOLD_ALL), begins: BEGINS },
  {
    group: 'apps',
    version: 'v1',
    plural: 'daemonsets',
    hold: '[JSONPatch{op: "add", path: "/spec/updateStrategy/type", value: "OnDelete"}]',
    note: `(${annotated('object', ORIGINAL_UPDATE_TYPE)} ? [] : [JSONPatch{
      op: "add",
      path: "/metadata/annotations/" + jsonpatch.escapeKey(${JSON.stringify(ORIGINAL_UPDATE_TYPE)}),
      value: object.spec.updateStrategy.type
    }])`,
    begins: BEGINS_ON_NODES,
  },
  {
    group: 'apps.kruise.io',
    version: 'v1beta1',
    plural: 'clonesets',
    hold: `(${IS_SURGING} ? [] : ${holdCloneSet('100%')})`,
    begins: BEGINS,
  },
  {
    group: 'apps.kruise.io',
    version: 'v1beta1',
    plural: 'statefulsets',
    hold: holdAt(HOLD_ALL),
    begins: BEGINS,
  },
  {
    group: 'apps.kruise.io',
    version: 'v1beta1',
    plural: 'daemonsets',
    hold: holdAt(HOLD_ALL),
    begins: BEGINS_ON_NODES,
  },
];

/**
 * Starts rollouts on an API server as the webhook of the Rollouts does: the write that changes the pod
 * template also pauses the workload. The policy does not know the stable version; the controller adds that.
 * https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
export const rolloutStartPolicies: readonly JsonObject[] = HELD.flatMap((held) => {
  const name = `rollout-start-${held.plural}.${held.group}`;
  return [policy(name, held), binding(name)];
});

function policy(name: string, { group, version, plural, hold, note = '[]', begins }: HeldKind): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name },
    spec: {
      failurePolicy: 'Fail',
      reinvocationPolicy: 'Never',
      paramKind: { apiVersion: 'rollouts.kruise.io/v1beta1', kind: 'Rollout' },
      matchConstraints: {
        objectSelector: {
          matchExpressions: [{ key: 'rollouts.kruise.io/workload-type', operator: 'Exists' }],
        },
        resourceRules: [
          { apiGroups: [group], apiVersions: [version], operations: ['UPDATE'], resources: [plural] },
        ],
      },
      matchConditions: [
        { name: 'stepped', expression: STEPPED },
        { name: 'begins', expression: begins },
      ],
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `${hold} + ${NOTE} + ${note}` } }],
    },
  };
}

function binding(name: string): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    // Without a namespace it applies to every Rollout in that of the workload.
    spec: { policyName: name, paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } },
  };
}

/** The path of the partition in the kind; missing parents are created. */
function holdAt(partition: number | string): string {
  const value = JSON.stringify(partition);
  const put = (path: string, what: string) => `[JSONPatch{op: "add", path: "${path}", value: ${what}}]`;
  return `(!has(object.spec.updateStrategy)
  ? ${put('/spec/updateStrategy', `{"rollingUpdate": {"partition": ${value}}}`)}
  : !has(object.spec.updateStrategy.rollingUpdate)
  ? ${put('/spec/updateStrategy/rollingUpdate', `{"partition": ${value}}`)}
  : ${put('/spec/updateStrategy/rollingUpdate/partition', value)})`;
}

/** A CloneSet may have its strategy as v1alpha1 writes it. */
function holdCloneSet(partition: string): string {
  const strategy = 'object.spec.updateStrategy';
  const members = ['partition', 'paused', 'maxUnavailable', 'maxSurge'].map(
    (member) => `has(${strategy}.${member})`,
  );
  const types = JSON.stringify(['ReCreate', 'InPlaceIfPossible', 'InPlaceOnly']);
  const isFlat = [...members, `(has(${strategy}.type) && ${strategy}.type in ${types})`].join(' || ');
  return `((has(${strategy}) && (${isFlat}))
  ? [JSONPatch{op: "add", path: "/spec/updateStrategy/partition", value: ${JSON.stringify(partition)}}]
  : ${holdAt(partition)})`;
}
