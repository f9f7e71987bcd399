import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject, ManagedFieldsEntry } from '@/lib/kube/object';
import { type OamRollout, parseOamRollout } from '@/lib/rollout/oam/parse';
import type { RolloutInput } from '@/lib/rollout/system';
import type { RolloutFacts } from '@/lib/rollout/rollout-facts';
import { cloneSet } from '@/lib/workloads/kinds/clone-set';
import { deployment } from '@/lib/workloads/kinds/deployment';
import type { WorkloadKind } from '@/lib/workloads/kind';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import {
  at,
  controllerRevision,
  historyInputOf,
  object,
  pod,
  replicaSet,
  parseSource,
  template,
} from '@/lib/workloads/testing/objects';

export interface OamParts {
  name?: string;
  spec?: JsonObject;
  plan?: JsonObject;
  status?: JsonObject;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  deleted?: string;
  /** Minutes of the last writes of spec and status. */
  written?: { spec: number; status: number };
}

export const FOUR_BATCHES = [1, '25%', '25%', '25%'].map((replicas) => ({ replicas }));

/**
 * A Rollout by component revisions of KubeVela in the second of four batches of 8 pods, waiting for approval.
 */
export function oamObject(parts: OamParts = {}): KubeObject {
  const { spec: specAt = 0, status: statusAt = 3 } = parts.written ?? {};
  const written = (minute: number, subresource?: string): ManagedFieldsEntry => ({
    manager: 'vela',
    operation: 'Update',
    time: at(minute),
    ...(subresource !== undefined && { subresource }),
  });
  const rollout = object(
    'Rollout',
    {
      name: parts.name ?? 'cart',
      owner: null,
      labels: parts.labels,
      annotations: {
        'trait.oam.dev/workload-name': 'cart-v2',
        'trait.oam.dev/workload-gvk': '{"apiVersion":"apps/v1","kind":"Deployment"}',
        ...parts.annotations,
      },
      managedFields: [written(specAt), written(statusAt, 'status')],
      ...(parts.deleted !== undefined && { deleted: parts.deleted }),
    },
    {
      apiVersion: 'standard.oam.dev/v1alpha1',
      spec: {
        targetRevisionName: 'cart-v2',
        componentName: 'cart',
        rolloutPlan: { rolloutBatches: FOUR_BATCHES, batchPartition: 1, ...parts.plan },
        ...parts.spec,
      },
      status: {
        rollingState: 'rollingInBatches',
        batchRollingState: 'batchReady',
        currentBatch: 1,
        rolloutOriginalSize: 8,
        rolloutTargetSize: 8,
        upgradedReplicas: 3,
        upgradedReadyReplicas: 3,
        lastTargetRevision: 'cart-v2',
        LastSourceRevision: 'cart-v1',
        conditions: [
          { type: 'RolloutSpecVerifying', status: 'True', lastTransitionTime: at(1) },
          { type: 'BatchReady', status: 'True', lastTransitionTime: at(2) },
        ],
        ...parts.status,
      },
    },
  );
  const finalizers = parts.finalizers ?? ['finalizers.rollout.standard.oam.dev'];
  return { ...rollout, metadata: { ...rollout.metadata, finalizers } };
}

function factsOf(
  kind: WorkloadKind,
  workload: KubeObject,
  sources: KubeObject[],
  pods: KubeObject[],
): RolloutFacts {
  const input = historyInputOf(kind, workload, sources, pods);
  return {
    workload: input.workload,
    history: kind.history(input),
    pods: input.pods,
    desired: kind.settings(input.workload).desiredPods,
  };
}

export interface ScenarioObjects {
  workload: KubeObject;
  sources: KubeObject[];
  pods: KubeObject[];
}

/** A Deployment of so many pods, each created a minute after the previous one. */
export function deploymentObjects(name: string, image: string, pods: number, ready = pods): ScenarioObjects {
  const set = replicaSet(1, image, {
    name: `${name}-abc`,
    uid: `rs-${name}`,
    owner: `uid-${name}`,
    replicas: pods,
    ready,
  });
  const workload = object(
    'Deployment',
    { name, owner: null, annotations: { 'deployment.kubernetes.io/revision': '1' } },
    {
      spec: { replicas: pods, selector: { matchLabels: { app: 'cart' } }, template: template(image) },
      status: { observedGeneration: 1, replicas: pods, readyReplicas: ready, updatedReplicas: pods },
    },
  );
  const own = Array.from({ length: pods }, (_, index) =>
    pod(`${name}-${index}`, { owner: `rs-${name}`, created: index, ready: index < ready, image }),
  );
  return { workload, sources: [set], pods: own };
}

export function deploymentOf(...parts: Parameters<typeof deploymentObjects>): RolloutFacts {
  const { workload, sources, pods } = deploymentObjects(...parts);
  return factsOf(deployment, workload, sources, pods);
}

/** A CloneSet of so many pods in total, some of which are of its second revision. */
export function cloneSetOf(name: string, pods: number, updated: number): RolloutFacts {
  const uid = `uid-${name}`;
  const revisions = [1, 2].map((number) =>
    controllerRevision(number, String(number), { name: `${name}-${number}`, owner: uid }),
  );
  const workload = object(
    'CloneSet',
    { name, owner: null },
    {
      apiVersion: 'apps.kruise.io/v1alpha1',
      spec: { replicas: pods, selector: { matchLabels: { app: 'cart' } }, template: template('2') },
      status: {
        observedGeneration: 1,
        currentRevision: `${name}-1`,
        updateRevision: `${name}-2`,
        replicas: pods,
        readyReplicas: pods,
        updatedReplicas: updated,
        updatedReadyReplicas: updated,
      },
    },
  );
  const own = Array.from({ length: pods }, (_, index) =>
    pod(`${name}-${index}`, {
      owner: uid,
      created: index,
      labels: { 'controller-revision-hash': `${name}-${index < updated ? 2 : 1}` },
    }),
  );
  return factsOf(cloneSet, workload, revisions, own);
}

/** The records of a component, one revision after another. */
export function componentRevisions(component: string, images: readonly string[]): KubeObject[] {
  return images.map((image, index) =>
    object(
      'ControllerRevision',
      {
        name: `${component}-v${index + 1}`,
        owner: null,
        labels: { 'controller.oam.dev/component': component },
      },
      {
        revision: index + 1,
        data: {
          apiVersion: 'core.oam.dev/v1alpha2',
          kind: 'Component',
          metadata: { name: component },
          spec: {
            workload: { apiVersion: 'apps/v1', kind: 'Deployment', spec: { template: template(image) } },
          },
        },
      },
    ),
  );
}

export function recordedOf(component: string, images: readonly string[]): RolloutInput['component'] {
  return {
    history: { resource: 'controllerrevisions.apps', name: `${component}.abcdef` },
    revisions: componentRevisions(component, images).map((revision) =>
      parseSource(controllerRevisions, revision),
    ),
  };
}

/** The scenario of {@link oamObject}: 3 pods of the target, 5 of the source. */
export function inputOf(
  parts: OamParts = {},
  members: Partial<RolloutInput<OamRollout>> = {},
): RolloutInput<OamRollout> {
  return {
    object: parseOamRollout(oamObject(parts)),
    workload: { state: 'found', facts: deploymentOf('cart-v2', '2', 3) },
    auxiliaries: [],
    relatedObjects: [],
    others: [deploymentOf('cart-v1', '1', 5)],
    component: recordedOf('cart', ['1', '2']),
    now: at(4),
    ...members,
  };
}

/** The same with a CloneSet, some of whose pods are new. */
export const inPlace: OamParts = {
  annotations: {
    'trait.oam.dev/workload-name': 'cart',
    'trait.oam.dev/workload-gvk': '{"apiVersion":"apps.kruise.io/v1alpha1","kind":"CloneSet"}',
  },
};

/** The same in the fields of the design, assigned to Shiplog's own controller. */
export const byReference: OamParts = {
  annotations: { 'trait.oam.dev/workload-gvk': '' },
  labels: { 'shiplog.dev/controller': 'shiplog' },
  spec: {
    targetRevisionName: null,
    componentName: null,
    targetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart-v2' },
    sourceRef: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'cart-v1' }],
  },
};
