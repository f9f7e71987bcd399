import { type JsonObject } from '@/lib/kube/json';

interface Held {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  /** CEL: the operations that keep every pod as it is. */
  readonly hold: string;
}

const IN_PROGRESSING = 'rollouts.kruise.io/in-progressing';
const ROLLOUT_ID = 'rollouts.kruise.io/rollout-id';
/** Larger than any number of pods: none is updated. */
const HOLD_ALL = 32_767;

const HELD: readonly Held[] = [
  {
    group: 'apps',
    version: 'v1',
    plural: 'deployments',
    hold: '[JSONPatch{op: "add", path: "/spec/paused", value: true}]',
  },
  { group: 'apps', version: 'v1', plural: 'statefulsets', hold: holdAt(HOLD_ALL) },
  { group: 'apps.kruise.io', version: 'v1beta1', plural: 'clonesets', hold: holdAt('100%') },
  { group: 'apps.kruise.io', version: 'v1beta1', plural: 'statefulsets', hold: holdAt(HOLD_ALL) },
  { group: 'apps.kruise.io', version: 'v1beta1', plural: 'daemonsets', hold: holdAt(HOLD_ALL) },
];

/**
 * Has releases begin on an API server as the webhook of the Rollouts has them begin: the write that asks for another
 * pod template is held back within itself. Which version is stable cannot be told here; the controller adds that.
 * https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
export const releaseStartPolicies: readonly JsonObject[] = HELD.flatMap((held) => {
  const name = `release-start-${held.plural}.${held.group}`;
  return [policy(name, held), binding(name)];
});

function policy(name: string, { group, version, plural, hold }: Held): JsonObject {
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
        { name: 'begins', expression: plural === 'deployments' ? `(${BEGINS}) || (${RUNS_AWAY})` : BEGINS },
      ],
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `${hold} + ${NOTE}` } }],
    },
  };
}

function binding(name: string): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicyBinding',
    metadata: { name },
    // Without a namespace it is asked of every Rollout in that of the workload.
    spec: { policyName: name, paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } },
  };
}

function annotated(object: string, key: string): string {
  return `(has(${object}.metadata.annotations) && ${JSON.stringify(key)} in ${object}.metadata.annotations)`;
}

const STEPPED = [
  'params.spec.workloadRef.kind == request.kind.kind',
  'params.spec.workloadRef.name == object.metadata.name',
  'params.spec.workloadRef.apiVersion.startsWith(request.kind.group + "/")',
  '!has(params.metadata.deletionTimestamp)',
  '(!has(params.spec.disabled) || params.spec.disabled != true)',
].join(' && ');

const ID = `object.metadata.annotations[${JSON.stringify(ROLLOUT_ID)}]`;
const OLD_ID = `oldObject.metadata.annotations[${JSON.stringify(ROLLOUT_ID)}]`;

const IS_ANOTHER = `(${annotated('object', ROLLOUT_ID)} && ${ID} != "")
  ? (!${annotated('oldObject', ROLLOUT_ID)} || ${OLD_ID} != ${ID})
  : object.spec.template != oldObject.spec.template`;

const IS_ROUTED = ['canary', 'blueGreen']
  .map(
    (style) =>
      `(has(params.spec.strategy.${style}) && has(params.spec.strategy.${style}.trafficRoutings) && size(params.spec.strategy.${style}.trafficRoutings) > 0)`,
  )
  .join(' || ');

/** Traffic is not shared among more than two versions. */
const IS_ONE_VERSION =
  '(has(oldObject.status) && has(oldObject.status.updatedReplicas) && oldObject.status.updatedReplicas == oldObject.spec.replicas)';

const BEGINS = [
  `(${IS_ANOTHER})`,
  '(!has(object.spec.replicas) || object.spec.replicas > 0)',
  `(${annotated('oldObject', IN_PROGRESSING)} || !(${IS_ROUTED}) || ${IS_ONE_VERSION})`,
].join(' && ');

/** Somebody resumes a Deployment in the middle of a release. */
const RUNS_AWAY = [
  annotated('oldObject', IN_PROGRESSING),
  annotated('object', IN_PROGRESSING),
  '!has(params.spec.strategy.blueGreen)',
  '(!has(object.spec.paused) || !object.spec.paused)',
].join(' && ');

const NOTED = `"{\\"rolloutName\\":\\"" + params.metadata.name + "\\"}"`;

const NOTE = `(has(object.metadata.annotations)
  ? [JSONPatch{op: "add", path: "/metadata/annotations/" + jsonpatch.escapeKey(${JSON.stringify(IN_PROGRESSING)}), value: ${NOTED}}]
  : [JSONPatch{op: "add", path: "/metadata/annotations", value: {${JSON.stringify(IN_PROGRESSING)}: ${NOTED}}}])`;

/** Where the kind keeps a partition; whatever is missing on the way is made. */
function holdAt(partition: number | string): string {
  const value = JSON.stringify(partition);
  const put = (path: string, what: string) => `[JSONPatch{op: "add", path: "${path}", value: ${what}}]`;
  return `(!has(object.spec.updateStrategy)
  ? ${put('/spec/updateStrategy', `{"rollingUpdate": {"partition": ${value}}}`)}
  : !has(object.spec.updateStrategy.rollingUpdate)
  ? ${put('/spec/updateStrategy/rollingUpdate', `{"partition": ${value}}`)}
  : ${put('/spec/updateStrategy/rollingUpdate/partition', value)})`;
}
