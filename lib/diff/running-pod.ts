import type { Change, TemplateDiff } from '@/lib/diff/change';
import { normalizeTemplate } from '@/lib/diff/normalize';
import {
  canonicalJson,
  deepEqual,
  isJsonObject,
  type Json,
  type JsonObject,
  memberOf,
  isEmptyObject,
} from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';

/** Labels that controllers and the binding of a pod add. */
const ADDED_LABELS = [
  'pod-template-hash',
  'controller-revision-hash',
  'pod-template-generation',
  'statefulset.kubernetes.io/pod-name',
  'apps.kubernetes.io/pod-index',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
];

const STATEFUL_POD = 'statefulset.kubernetes.io/pod-name';
const TOKEN_VOLUME = /^kube-api-access-[a-z0-9]{5}$/;
const TOKEN_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Taints that every pod, or every pod of a DaemonSet, gets a toleration for. */
const ADDED_TOLERATION =
  /^node\.kubernetes\.io\/(not-ready|unreachable|disk-pressure|memory-pressure|pid-pressure|unschedulable|network-unavailable)$/;

/** Fields of a pod that the API server or the scheduler sets where the template leaves them open. */
const FIELD_DEFAULTS: Readonly<Record<string, (value: Json, spec: JsonObject) => boolean>> = {
  nodeName: () => true,
  priority: () => true,
  preemptionPolicy: () => true,
  enableServiceLinks: (value) => value === true,
  serviceAccountName: (value) => value === 'default',
  overhead: (_value, spec) => spec.runtimeClassName !== undefined,
};

/**
 * The template of a running pod, to be compared with the template it should come from: without what every pod
 * gets from the API server, the scheduler and its controller and `template` does not specify. What admission
 * webhooks added stays. Neither argument is changed.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/apis/core/v1/defaults.go (SetDefaults_Pod)
 */
export function templateOfPod(pod: KubeObject, template: JsonObject): JsonObject {
  const expected = normalizeTemplate(template);
  const { metadata, spec } = normalizeTemplate({
    metadata: {
      labels: withoutAddedLabels(pod.metadata.labels ?? {}, objectAt(expected.metadata, 'labels')),
      annotations: pod.metadata.annotations,
      finalizers: pod.metadata.finalizers,
    },
    spec: pod.spec,
  });
  const own = isJsonObject(spec) ? spec : {};
  return { metadata, spec: withoutAdditions(own, isJsonObject(expected.spec) ? expected.spec : {}, pod) };
}

/**
 * The diff between a template and a running pod, in those terms: no controller replaces pods for it, and what
 * only the pod has was added on creation. `side` is the side of the pod.
 */
export function asPodDiff(diff: TemplateDiff, side: 'before' | 'after'): TemplateDiff {
  const changes = diff.changes.map((change) => ({ ...change, restarts: false, note: podNote(change, side) }));
  return { ...diff, changes, explanation: null };
}

function podNote(change: Change, side: 'before' | 'after'): string {
  const isOnlyInPod = change.kind === (side === 'after' ? 'added' : 'removed');
  const isSidecar = change.container !== null && change.pointer.length === 3;
  if (isOnlyInPod) return `only in the pod: ${isSidecar ? 'an injected sidecar' : 'injected at creation'}`;
  if (change.kind === 'added' || change.kind === 'removed') return 'not in the pod';
  return 'differs in the pod';
}

function withoutAddedLabels(labels: Readonly<Record<string, string>>, expected: JsonObject): JsonObject {
  const entries = Object.entries(labels);
  return Object.fromEntries(
    entries.filter(([key]) => Object.hasOwn(expected, key) || !ADDED_LABELS.includes(key)),
  );
}

function withoutAdditions(spec: JsonObject, expected: JsonObject, pod: KubeObject): JsonObject {
  const kept = Object.entries(spec).filter(
    ([field, value]) =>
      expected[field] !== undefined || FIELD_DEFAULTS[field]?.(value ?? null, spec) !== true,
  );
  const result: JsonObject = Object.fromEntries(kept);
  const tokenVolumes = tokenVolumesOf(spec, expected);
  result.affinity = withoutNodeName(spec.affinity, expected.affinity);
  const ownTolerations = textsIn(expected.tolerations);
  result.tolerations = listOf(spec.tolerations).filter((entry) => !isAddedToleration(entry, ownTolerations));
  result.volumes = volumesOf(spec, expected, tokenVolumes, pod.metadata.name);
  // Gates are only ever removed from a pod.
  result.schedulingGates = expected.schedulingGates;
  result.resources = withoutFilledRequests(spec.resources, expected.resources);
  for (const field of ['containers', 'initContainers']) {
    const templates = byName(expected[field]);
    result[field] = listOf(spec[field]).map((container) =>
      isJsonObject(container)
        ? containerOf(container, templates.get(container.name) ?? {}, tokenVolumes, spec.hostNetwork === true)
        : container,
    );
  }
  if (pod.metadata.labels?.[STATEFUL_POD] !== undefined) {
    result.hostname = expected.hostname;
    result.subdomain = expected.subdomain;
  }
  return result;
}

/** A DaemonSet pins each pod to its node, replacing the node affinity of the template. */
function withoutNodeName(affinity: Json | undefined, expected: Json | undefined): Json | undefined {
  const node = objectAt(affinity, 'nodeAffinity');
  const [term, ...others] = listOf(objectAt(node, REQUIRED).nodeSelectorTerms);
  const isPinned =
    others.length === 0 && isJsonObject(term) && term.matchExpressions === undefined && isNodeName(term);
  if (!isJsonObject(affinity) || !isPinned) return affinity;
  const { [REQUIRED]: _pin, ...preferred } = node;
  const { nodeAffinity: _node, ...rest } = affinity;
  const expectedNode = isJsonObject(expected) ? expected.nodeAffinity : undefined;
  const required = objectAt(expectedNode, REQUIRED);
  const nodeAffinity = isEmptyObject(required) ? preferred : { ...preferred, [REQUIRED]: required };
  const hasNode = !isEmptyObject(nodeAffinity) || isJsonObject(expectedNode);
  const result = hasNode ? { ...rest, nodeAffinity } : rest;
  return isEmptyObject(result) && !isJsonObject(expected) ? undefined : result;
}

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution';

function isNodeName(term: JsonObject): boolean {
  const fields = listOf(term.matchFields);
  return fields.length === 1 && isJsonObject(fields[0]) && fields[0].key === 'metadata.name';
}

function isAddedToleration(entry: Json, own: ReadonlySet<string>): boolean {
  const isDefault =
    isJsonObject(entry) &&
    entry.operator === 'Exists' &&
    typeof entry.key === 'string' &&
    ADDED_TOLERATION.test(entry.key);
  return isDefault && !own.has(canonicalJson(entry));
}

/** Names of the volumes that exist only to give the containers a token for the API server. */
function tokenVolumesOf(spec: JsonObject, expected: JsonObject): Set<Json | undefined> {
  const own = byName(expected.volumes);
  const usual = [...byName(spec.volumes).keys()].filter(
    (name) => typeof name === 'string' && TOKEN_VOLUME.test(name),
  );
  const names = new Set(usual.filter((name) => !own.has(name)));
  for (const container of [...listOf(spec.containers), ...listOf(spec.initContainers)]) {
    for (const mount of listOf(isJsonObject(container) ? container.volumeMounts : undefined)) {
      if (isJsonObject(mount) && mount.mountPath === TOKEN_PATH && !own.has(mount.name))
        names.add(mount.name);
    }
  }
  return names;
}

function volumesOf(
  spec: JsonObject,
  expected: JsonObject,
  tokens: Set<Json | undefined>,
  podName: string,
): Json[] {
  const own = byName(expected.volumes);
  return listOf(spec.volumes).flatMap((volume): Json[] => {
    if (!isJsonObject(volume)) return [volume];
    if (tokens.has(volume.name)) return [];
    const claim = objectAt(volume, 'persistentVolumeClaim').claimName;
    const isOwnClaim = typeof volume.name === 'string' && claim === `${volume.name}-${podName}`;
    if (!isOwnClaim) return [volume];
    // The claim of a StatefulSet replaces a volume of the same name.
    const replaced = own.get(volume.name);
    return replaced === undefined ? [] : [replaced];
  });
}

function containerOf(
  container: JsonObject,
  expected: JsonObject,
  tokens: Set<Json | undefined>,
  isHostNetwork: boolean,
): JsonObject {
  const mounts = listOf(container.volumeMounts).filter(
    (mount) => !isJsonObject(mount) || !tokens.has(mount.name),
  );
  const ownPorts = isHostNetwork ? textsIn(expected.ports) : new Set<string>();
  const ports = listOf(container.ports).map((port) =>
    isHostNetwork && isJsonObject(port) ? withoutFilledHostPort(port, ownPorts) : port,
  );
  const resources = withoutFilledRequests(container.resources, expected.resources);
  return { ...container, volumeMounts: mounts, ports, resources };
}

/** On the network of the node every port is a host port. */
function withoutFilledHostPort(port: JsonObject, own: ReadonlySet<string>): JsonObject {
  const { hostPort, ...rest } = port;
  const isFilled = hostPort === port.containerPort && own.has(canonicalJson(rest));
  return isFilled ? rest : port;
}

/** Requests that the template omits are copied from the limits. */
function withoutFilledRequests(resources: Json | undefined, expected: Json | undefined): Json | undefined {
  if (!isJsonObject(resources) || !isJsonObject(resources.requests)) return resources;
  const limits = objectAt(resources, 'limits');
  const own = objectAt(expected, 'requests');
  const requests = Object.entries(resources.requests).filter(
    ([name, amount]) => Object.hasOwn(own, name) || !deepEqual(amount, limits[name]),
  );
  return { ...resources, requests: Object.fromEntries(requests) };
}

/** The entries as texts that are equal exactly when they are. */
function textsIn(list: Json | undefined): ReadonlySet<string> {
  return new Set(listOf(list).map(canonicalJson));
}

function byName(list: Json | undefined): Map<Json | undefined, JsonObject> {
  return new Map(listOf(list).flatMap((entry) => (isJsonObject(entry) ? [[entry.name, entry]] : [])));
}

function listOf(value: Json | undefined): Json[] {
  return Array.isArray(value) ? value : [];
}

function objectAt(value: Json | undefined, key: string): JsonObject {
  const member = memberOf(value, key);
  return isJsonObject(member) ? member : {};
}
