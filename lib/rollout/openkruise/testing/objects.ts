import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import { kruiseRolloutSystem } from '@/lib/rollout/openkruise/kruise-system';
import { parseKruiseRollout } from '@/lib/rollout/openkruise/parse';
import { type Line, readLine } from '@/lib/rollout/openkruise/testing/timelines';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutInput } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import { rolloutPodLabels } from '@/lib/rollout/systems/table';
import { pickPodMetadata } from '@/lib/pods/pod-metadata';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { deployment } from '@/lib/workloads/kinds/deployment';
import { historyInputOf, object, pod, template } from '@/lib/workloads/testing/objects';

const NOW = '2026-11-21T01:00:00Z';
export const SOON = '2026-11-21T00:59:58Z';

export interface RolloutParts {
  version?: string;
  workload?: { apiVersion: string; kind: string; name: string };
  steps?: JsonObject[];
  canary?: JsonObject;
  blueGreen?: JsonObject;
  spec?: JsonObject;
  status?: JsonObject;
  metadata?: Partial<KubeObject['metadata']>;
}

export const threeSteps: JsonObject[] = [
  { replicas: '20%', traffic: '20%', pause: {} },
  { replicas: '60%', pause: { duration: 30 } },
  { replicas: '100%', pause: { duration: 0 } },
];

export const routed: JsonObject = {
  trafficRoutings: [{ service: 'shop', ingress: { classType: 'nginx', name: 'shop' } }],
};

/** A Rollout as the API server returns it. */
export function rolloutObject(parts: RolloutParts = {}): KubeObject {
  const { version = 'v1beta1', steps = threeSteps, blueGreen } = parts;
  const workload = parts.workload ?? {
    apiVersion: 'apps.kruise.io/v1alpha1',
    kind: 'CloneSet',
    name: 'checkout',
  };
  const strategy =
    blueGreen === undefined ? { canary: { steps, ...parts.canary } } : { blueGreen: { steps, ...blueGreen } };
  const reference =
    version === 'v1alpha1' ? { objectRef: { workloadRef: workload } } : { workloadRef: workload };
  return {
    apiVersion: `rollouts.kruise.io/${version}`,
    kind: 'Rollout',
    metadata: {
      name: 'checkout-ro',
      namespace: 'shop',
      uid: 'uid-rollout',
      resourceVersion: '1',
      generation: 1,
      creationTimestamp: '2026-11-21T00:00:00Z',
      ...parts.metadata,
    },
    spec: { ...reference, strategy, ...parts.spec },
    ...(parts.status !== undefined && { status: parts.status }),
  };
}

/** The status of one line of a recording. */
export function statusOf(line: Line, isBlueGreen = false): JsonObject {
  const { phase, progressing, succeeded, updated, pods, ready } = line;
  const conditions: JsonObject[] = [];
  const time = { lastTransitionTime: SOON, lastUpdateTime: SOON, message: '' };
  if (progressing !== '')
    conditions.push({
      type: 'Progressing',
      status: progressing === 'Completed' ? 'False' : 'True',
      reason: progressing,
      ...time,
    });
  if (succeeded !== '') conditions.push({ type: 'Succeeded', status: succeeded, reason: '', ...time });
  const prefix = isBlueGreen ? 'updated' : 'canary';
  const progress: JsonObject = {
    currentStepIndex: line.step,
    nextStepIndex: line.next,
    currentStepState: line.state,
    finalisingStep: line.finalising,
    observedRolloutID: line.id,
    stableRevision: line.stable,
    podTemplateHash: line.hash,
    lastUpdateTime: SOON,
    [`${prefix}Revision`]: updated,
    [`${prefix}Replicas`]: pods,
    [`${prefix}ReadyReplicas`]: ready,
  };
  return {
    observedGeneration: 1,
    phase,
    message: 'whatever it said before',
    conditions,
    [isBlueGreen ? 'blueGreenStatus' : 'canaryStatus']: progress,
  };
}

/** A line from the middle of a rollout, with changes. */
export function line(changes: Partial<Line> = {}): Line {
  return { ...readLine('Progressing InRolling - 1 2 StepPaused - v2 v2 v1 v2 1 1'), ...changes };
}

export interface BatchPod {
  name: string;
  /** Hash of its revision. */
  of: string;
  id?: string;
  batch?: string | number;
  deleted?: string;
}

function podObject({ name, of, id, batch, deleted }: BatchPod, owner: string, workload: string): KubeObject {
  return pod(name, {
    owner,
    ...(deleted !== undefined && { deleted }),
    labels: {
      'controller-revision-hash': `${workload}-${of}`,
      ...(id !== undefined && { 'rollouts.kruise.io/rollout-id': id }),
      ...(batch !== undefined && { 'rollouts.kruise.io/rollout-batch-id': String(batch) }),
    },
  });
}

export function factsOf(
  kind: WorkloadKind,
  workload: KubeObject,
  sources: KubeObject[],
  pods: KubeObject[],
): RolloutFacts {
  const input = historyInputOf(kind, workload, sources, pods);
  const marked = input.pods.map((summary, index) => {
    const metadataValues = pickPodMetadata(rolloutPodLabels, pods[index]?.metadata ?? {});
    return metadataValues === undefined ? summary : { ...summary, metadataValues };
  });
  const full = { ...input, pods: marked };
  return {
    workload: input.workload,
    history: kind.history(full),
    pods: marked,
    desired: kind.settings(input.workload).desiredPods,
  };
}

/**
 * A CloneSet with one ControllerRevision for each hash, oldest first; by default the last one is the target.
 */
export function cloneSetFacts(
  hashes: readonly string[],
  pods: readonly BatchPod[],
  target = hashes.at(-1) ?? '',
): RolloutFacts {
  const uid = 'uid-checkout';
  const sources = hashes.map((hash, index) =>
    object(
      'ControllerRevision',
      {
        name: `checkout-${hash}`,
        owner: uid,
        created: index,
        labels: { 'controller.kubernetes.io/hash': hash },
      },
      { revision: index + 1, data: { spec: { template: { $patch: 'replace', ...template(hash) } } } },
    ),
  );
  const workload = object(
    'CloneSet',
    { uid, owner: null, generation: 2 },
    {
      apiVersion: 'apps.kruise.io/v1alpha1',
      spec: {
        replicas: 5,
        selector: { matchLabels: { app: 'checkout' } },
        template: template(target),
        updateStrategy: {},
      },
      status: {
        observedGeneration: 2,
        replicas: 5,
        updateRevision: `checkout-${target}`,
        currentRevision: `checkout-${hashes[0] ?? ''}`,
      },
    },
  );
  return factsOf(
    cloneSet,
    workload,
    sources,
    pods.map((entry) => podObject(entry, uid, 'checkout')),
  );
}

/** A Deployment with one ReplicaSet for each hash. `image` is that of its current template. */
export function deploymentFacts(
  name: string,
  hashes: readonly string[],
  pods: readonly BatchPod[],
  image: string = hashes.at(-1) ?? '',
): RolloutFacts {
  const uid = `uid-${name}`;
  const sources = hashes.map((hash, index) => {
    const body = template(hash);
    return object(
      'ReplicaSet',
      {
        name: `${name}-${hash}`,
        uid: `uid-${name}-${hash}`,
        owner: uid,
        created: index,
        labels: { 'pod-template-hash': hash },
        annotations: { 'deployment.kubernetes.io/revision': String(index + 1) },
      },
      {
        spec: {
          replicas: 1,
          template: { ...body, metadata: { labels: { app: 'checkout', 'pod-template-hash': hash } } },
        },
        status: { observedGeneration: 1 },
      },
    );
  });
  const workload = object(
    'Deployment',
    { name, uid, owner: null, generation: 2 },
    {
      spec: { replicas: 5, selector: { matchLabels: { app: 'checkout' } }, template: template(image) },
      status: { observedGeneration: 2 },
    },
  );
  const owned = pods.map((entry) => podObject(entry, `uid-${name}-${entry.of}`, name));
  return factsOf(deployment, workload, sources, owned);
}

export const web = { apiVersion: 'apps/v1', kind: 'Deployment', name: 'checkout' };

/** What pages get for a Rollout and its related objects. */
export function deriveFrom(rollout: KubeObject, rest: Partial<RolloutInput> = {}): ProgressiveRollout {
  return kruiseRolloutSystem.derive(inputOf(rollout, rest));
}

export function inputOf(rollout: KubeObject, rest: Partial<RolloutInput> = {}) {
  return {
    workload: { state: 'unknown' } as const,
    auxiliaries: [],
    relatedObjects: [],
    now: NOW,
    ...rest,
    object: parseKruiseRollout(rollout),
  };
}

export function found(facts: RolloutFacts) {
  return { workload: { state: 'found' as const, facts } };
}

export function action(rollout: ProgressiveRollout, name: string) {
  const one = rollout.actions.find((entry) => entry.name === name);
  if (one === undefined) throw new Error(`no action ${name}`);
  return one;
}
