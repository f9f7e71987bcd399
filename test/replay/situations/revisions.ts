import { fill } from './fill';
import { isCounted, isReady, type Pod } from './pods';
import { type Json, type JsonObject, type KubeObject, type Scene, time } from './scene';

export interface Revision {
  name: string;
  uid: string;
  hash: string;
  number: number;
  /** Milliseconds: created, and the number written. */
  at: number;
  written?: number;
  /** The uid in its owner reference; null: it has none. */
  owner: string | null;
  template: JsonObject;
  cause?: string;
  fault?: 'noNumber' | 'badNumber' | 'foreign' | 'noData' | 'noHash';
}

/** What the objects of revisions need to know of their workload. */
interface Workload {
  scene: Scene;
  name: string;
  replicas: number;
  pods: readonly Pod[];
  options: { source: string; hashLabel?: string; recordOf?: (template: JsonObject) => JsonObject };
  hashLabel: string;
  labelOf: (revision: Revision) => string;
  ownerOf: (uid: string) => Json[];
}

/** The ReplicaSet or the ControllerRevision of a revision, with the fault that it has. */
export function renderRevision(fleet: Workload, revision: Revision): KubeObject {
  const { scene, options } = fleet;
  const isReplicaSet = options.source === 'ReplicaSet';
  const { uid, hash, fault, at, template, written, cause, owner } = revision;
  const label = isReplicaSet ? hash : fleet.labelOf(revision);
  const labels = { app: fleet.name, [fleet.hashLabel]: fault === 'noHash' ? undefined : label };
  const number = fault === 'noNumber' ? undefined : fault === 'badNumber' ? 'two' : revision.number;
  const ownerReferences = owner === null ? undefined : fleet.ownerOf(owner);
  if (!isReplicaSet) {
    const annotations = cause === undefined ? undefined : { 'kubernetes.io/change-cause': cause };
    const managedFields = writtenBy(written, { 'f:revision': {} });
    const spec = options.recordOf?.(template) ?? { template: { ...template, $patch: 'replace' } };
    const data = fault === 'noData' ? undefined : fault === 'foreign' ? { model: 'v2', shards: 3 } : { spec };
    const members = { at, uid, labels, annotations, ownerReferences, managedFields };
    return fill('ControllerRevision', { metadata: scene.meta(revision.name, members), data, number });
  }
  const own = fleet.pods.filter((pod) => isCounted(pod) && pod.revision === hash && pod.owners.length > 0);
  const prefix = options.hashLabel === undefined ? 'deployment.kubernetes.io' : 'rollout.argoproj.io';
  const annotations = {
    [`${prefix}/revision`]: number === undefined ? undefined : String(number),
    [`${prefix}/revision-history`]: written && String(Math.max(1, revision.number - 2)),
    'deployment.kubernetes.io/desired-replicas': String(fleet.replicas),
    'kubernetes.io/change-cause': cause,
  };
  const fields = { 'f:metadata': { 'f:annotations': { [`f:${prefix}/revision`]: {} } } };
  const managedFields = writtenBy(written, fields);
  const members = { at, uid, labels, generation: 1, annotations, ownerReferences, managedFields };
  const recorded = { ...template, metadata: { ...(template['metadata'] as JsonObject), labels } };
  return fill('ReplicaSet', {
    metadata: scene.meta(revision.name, members),
    labels,
    total: own.length,
    ready: own.filter(isReady).length,
    template: fault === 'foreign' ? { image: 'x' } : fault === 'noData' ? undefined : recorded,
  });
}

function writtenBy(at: number | undefined, fieldsV1: JsonObject): Json[] | undefined {
  if (at === undefined) return undefined;
  return [{ manager: 'kube-controller-manager', operation: 'Update', time: time(at), fieldsV1 }];
}

export function imagesOf(template: JsonObject): string[] {
  const { containers } = template['spec'] as { containers: { image: string }[] };
  return containers.map(({ image }) => image);
}
