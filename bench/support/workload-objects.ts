import { randomUUID } from 'node:crypto';
import { appTemplate, selectorOf } from '@/e2e/controlplane/app-template';
import { scaleDeployment } from '@/e2e/controlplane/seed-scale';
import type { JsonObject } from '@/lib/kube/json';

interface WorkloadObject extends JsonObject {
  apiVersion: string;
  kind: string;
  metadata: { name: string; uid: string } & JsonObject;
}

/** An object of the collection `resource`. */
interface Stored {
  resource: string;
  object: WorkloadObject;
}

const REVISIONS = 10;
const PODS = 3;
const REVISION = 'deployment.kubernetes.io/revision';
const CREATED_AT = '2026-11-20T08:00:00Z';

/** A complete Deployment of ten revisions and three pods, as its controllers would have left them. */
export function workloadObjects(index: number): Stored[] {
  const deployment = deploymentAt(index);
  const sets = Array.from({ length: REVISIONS }, (_, place) => replicaSetAt(index, place + 1, deployment));
  const current = sets.at(-1) ?? deployment;
  const pods = Array.from({ length: PODS }, (_, place) => podAt(index, place, current));
  return [
    { resource: 'deployments.apps', object: deployment },
    ...sets.map((object) => ({ resource: 'replicasets.apps', object })),
    ...pods.map((object) => ({ resource: 'pods', object })),
  ];
}

function deploymentAt(index: number): WorkloadObject {
  const labels = selectorOf(scaleDeployment(index));
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      ...metadataOf(index, '', labels),
      generation: REVISIONS,
      annotations: { [REVISION]: String(REVISIONS) },
    },
    spec: {
      replicas: PODS,
      revisionHistoryLimit: REVISIONS,
      selector: { matchLabels: labels },
      template: templateAt(index, REVISIONS),
    },
    status: {
      observedGeneration: REVISIONS,
      replicas: PODS,
      updatedReplicas: PODS,
      readyReplicas: PODS,
      availableReplicas: PODS,
      conditions: [
        conditionOf('Available', 'MinimumReplicasAvailable'),
        conditionOf('Progressing', 'NewReplicaSetAvailable'),
      ],
    },
  };
}

function replicaSetAt(index: number, revision: number, owner: WorkloadObject): WorkloadObject {
  const labels = setLabels(index, revision);
  const replicas = revision === REVISIONS ? PODS : 0;
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      ...metadataOf(index, `-${hashOf(revision)}`, labels, owner),
      generation: 1,
      annotations: { [REVISION]: String(revision), 'kubernetes.io/change-cause': `version ${revision}` },
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { ...templateAt(index, revision), metadata: { labels } },
    },
    status: {
      observedGeneration: 1,
      replicas,
      ...(replicas > 0 && { readyReplicas: replicas, availableReplicas: replicas }),
    },
  };
}

function podAt(index: number, place: number, owner: WorkloadObject): WorkloadObject {
  const template = templateAt(index, REVISIONS);
  const containers = (template.spec as { containers: { name: string; image: string }[] }).containers;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: metadataOf(index, `-${hashOf(REVISIONS)}-${place}`, setLabels(index, REVISIONS), owner),
    spec: { ...(template.spec as JsonObject), nodeName: `worker-${place}` },
    status: {
      phase: 'Running',
      startTime: CREATED_AT,
      conditions: [conditionOf('Ready', undefined)],
      containerStatuses: containers.map(({ name, image }) => ({
        ...{ name, image, imageID: image, ready: true, restartCount: 0 },
        state: { running: { startedAt: CREATED_AT } },
      })),
    },
  };
}

function metadataOf(
  index: number,
  suffix: string,
  labels: Record<string, string>,
  owner?: WorkloadObject,
): WorkloadObject['metadata'] {
  const { namespace, name } = scaleDeployment(index);
  return {
    ...{ name: name + suffix, namespace, uid: randomUUID(), creationTimestamp: CREATED_AT, labels },
    ...(owner && {
      ownerReferences: [
        {
          ...{ apiVersion: owner.apiVersion, kind: owner.kind },
          ...{ name: owner.metadata.name, uid: owner.metadata.uid },
          ...{ controller: true, blockOwnerDeletion: true },
        },
      ],
    }),
  };
}

function conditionOf(type: string, reason: string | undefined): JsonObject {
  return { type, status: 'True', ...(reason && { reason }), lastTransitionTime: CREATED_AT };
}

function setLabels(index: number, revision: number): Record<string, string> {
  return { ...selectorOf(scaleDeployment(index)), 'pod-template-hash': hashOf(revision) };
}

function hashOf(revision: number): string {
  return `5b7c9d${String(revision).padStart(3, '0')}`;
}

/** Revisions differ in the image, in environment, and some in memory. */
function templateAt(index: number, revision: number): JsonObject {
  const { namespace, name } = scaleDeployment(index);
  return appTemplate({
    name,
    namespace,
    image: `registry.example.com/${namespace}/${name}`,
    tag: `1.${revision}.${index % 10}`,
    port: 8080,
    env: Object.fromEntries(
      Array.from({ length: 8 }, (_, place) => [
        `SETTING_${place}`,
        place < revision ? `value-${place}-of-${revision}` : 'default',
      ]),
    ),
    cpu: '200m',
    memory: `${128 * (1 + (revision % 3))}Mi`,
    probe: '/readyz',
  });
}
