import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import type { JsonObject } from '@/lib/kube/json';
import { startManager } from '@/sandbox/controllers/controllers';
import { runKruise } from '@/sandbox/controllers/kruise/kruise';
import { loadCredentials } from '@/server/cluster/credentials';
import { createTransport } from '@/server/cluster/transport';
import { systemClock } from '@/server/shared/clock';
import { createLogger } from '@/server/shared/log';

/** Runs controllers of the sandbox next to the real ones, until the result is called; the sandbox runs all of them itself. */
export function runControllers(
  { kubeconfigs }: ControlPlane,
  run: Parameters<typeof startManager>[1],
): () => Promise<void> {
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [kubeconfigs.seeder] });
  const transport = createTransport({ credentials, readOnly: false });
  const log = createLogger({ level: 'error' });
  const controllers = startManager({ transport, clock: systemClock, log }, run);
  return async () => {
    await controllers.stop();
    await transport.close();
  };
}

/** OpenKruise, with policies that stand in for its webhook. */
export async function runKruiseControllers(cluster: ControlPlane): Promise<() => Promise<void>> {
  const client = cluster.client();
  const admission = '/apis/admissionregistration.k8s.io/v1';
  await client.create(`${admission}/mutatingadmissionpolicies`, policyFor('apps/v1', 'deployments', PAUSE));
  const cloneSets = policyFor('apps.kruise.io/v1beta1', 'clonesets', HOLD_ALL);
  await client.create(`${admission}/mutatingadmissionpolicies`, cloneSets);
  for (const plural of ['deployments', 'clonesets'])
    await client.create(`${admission}/mutatingadmissionpolicybindings`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: `hold-${plural}` },
      // Without a namespace it applies to every Rollout in that of the workload.
      spec: { policyName: `hold-${plural}`, paramRef: { selector: {}, parameterNotFoundAction: 'Allow' } },
    });
  return runControllers(cluster, runKruise);
}

/** CEL: the Rollout is about the workload, and the write starts a rollout. */
const BEGINS = [
  'params.spec.workloadRef.kind == request.kind.kind',
  'params.spec.workloadRef.name == object.metadata.name',
  '!has(params.metadata.deletionTimestamp)',
  '(!has(params.spec.disabled) || params.spec.disabled != true)',
  'object.spec.template != oldObject.spec.template',
].join(' && ');

/** CEL: the patches that hold every pod at its revision; missing parents are created. */
const PAUSE = '[JSONPatch{op: "add", path: "/spec/paused", value: true}]';
const HOLD_ALL = `(!has(object.spec.updateStrategy)
  ? [JSONPatch{op: "add", path: "/spec/updateStrategy", value: {"rollingUpdate": {"partition": "100%"}}}]
  : !has(object.spec.updateStrategy.rollingUpdate)
  ? [JSONPatch{op: "add", path: "/spec/updateStrategy/rollingUpdate", value: {"partition": "100%"}}]
  : [JSONPatch{op: "add", path: "/spec/updateStrategy/rollingUpdate/partition", value: "100%"}])`;

const NAMED = `"{\\"rolloutName\\":\\"" + params.metadata.name + "\\"}"`;
const ANNOTATE = `(has(object.metadata.annotations)
  ? [JSONPatch{op: "add", path: "/metadata/annotations/rollouts.kruise.io~1in-progressing", value: ${NAMED}}]
  : [JSONPatch{op: "add", path: "/metadata/annotations", value: {"rollouts.kruise.io/in-progressing": ${NAMED}}}])`;

/**
 * The write that changes a template also holds the pods. The policy does not know the stable version; the
 * controller adds that.
 * https://kubernetes.io/docs/reference/access-authn-authz/mutating-admission-policy/
 */
function policyFor(apiVersion: string, plural: string, hold: string): JsonObject {
  const [group = '', version = ''] = apiVersion.split('/');
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingAdmissionPolicy',
    metadata: { name: `hold-${plural}` },
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
      matchConditions: [{ name: 'begins', expression: BEGINS }],
      mutations: [{ patchType: 'JSONPatch', jsonPatch: { expression: `${hold} + ${ANNOTATE}` } }],
    },
  };
}
