import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { adopt, confirmOwner } from '@/sandbox/controllers/engine/claim';
import { isAlreadyExists, type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { controllerOf, controllerReference } from '@/sandbox/controllers/objects/owner';
import { type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type ControllerRevision } from '@/sandbox/controllers/objects/workloads';
import { dataText, revisionData } from '@/sandbox/controllers/revisions/data';
import { revisionHash } from '@/sandbox/controllers/revisions/hash';
import { renumber } from '@/sandbox/controllers/revisions/renumber';
import { byRevision } from '@/sandbox/controllers/revisions/order';
import { revisionOfPod } from '@/sandbox/controllers/stateful-set/pods';

const HASH_LABEL = 'controller.kubernetes.io/hash';
const PREFIX_BYTES_MAX = 223;

/** A workload that records its templates as StatefulSets do. */
export interface Recorded extends KubeObject {
  spec: JsonObject & { selector: JsonObject; template: PodTemplateSpec; revisionHistoryLimit: number };
  status: JsonObject & { collisionCount?: number; currentRevision?: string };
}

export interface ChosenRevisions {
  /** The revision of pods that are not to be updated. */
  current: ControllerRevision;
  /** The revision of all others. */
  update: ControllerRevision;
  collisionCount: number;
}

/** Revisions that match the selector and belong to the set or have no owner, in order. */
export function listRevisions(manager: ControllerManager, set: Recorded): ControllerRevision[] {
  const selector = parseLabelSelector(set.spec.selector);
  return manager.revisions.store
    .inNamespace(set.metadata.namespace)
    .filter((revision) => (controllerOf(revision)?.uid ?? set.metadata.uid) === set.metadata.uid)
    .filter(({ metadata }) => matchesSelector(selector, metadata.labels ?? {}))
    .sort(byRevision);
}

export async function adoptOrphans<T extends Recorded>(
  manager: ControllerManager,
  set: T,
  owners: Resource<T>,
): Promise<void> {
  const orphans = listRevisions(manager, set).filter((revision) => controllerOf(revision) === undefined);
  if (orphans.length === 0) return;
  await confirmOwner({ owner: set, owners });
  for (const orphan of orphans) await adopt({ owner: set, resource: manager.revisions }, orphan);
}

/**
 * Determines the revisions of the current template and of the pods that stay behind. An earlier template
 * reuses its old revision, under a new number.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (getStatefulSetRevisions)
 */
export async function chooseRevisions(
  manager: ControllerManager,
  set: Recorded,
  revisions: readonly ControllerRevision[],
): Promise<ChosenRevisions> {
  const count = set.status.collisionCount ?? 0;
  const newest = revisions.at(-1);
  const next = (newest?.revision ?? 0) + 1;
  const text = dataText(revisionData(set.spec.template));
  const equal = revisions.filter(({ data }) => dataText(data) === text).at(-1);
  const chosen = await choose();
  const current = revisions.find(({ metadata }) => metadata.name === set.status.currentRevision);
  return { current: current ?? chosen.update, ...chosen };

  async function choose(): Promise<Omit<ChosenRevisions, 'current'>> {
    if (newest !== undefined && newest === equal) return { update: newest, collisionCount: count };
    if (equal !== undefined) return { update: await renumber(manager, equal, next), collisionCount: count };
    return createRevision(manager, set, text, next, count);
  }
}

/**
 * The next collision count avoids another revision under the same name; the hash on the label stays the
 * first.
 */
async function createRevision(
  manager: ControllerManager,
  set: Recorded,
  text: string,
  revision: number,
  firstCount: number,
): Promise<Omit<ChosenRevisions, 'current'>> {
  const { namespace, name, annotations } = set.metadata;
  const metadata = {
    labels: { ...set.spec.template.metadata?.labels, [HASH_LABEL]: revisionHash(text, firstCount) },
    ...(annotations === undefined ? {} : { annotations }),
    ownerReferences: [controllerReference(set)],
  };
  for (let collisionCount = firstCount; ; collisionCount += 1) {
    const own = revisionName(name, revisionHash(text, collisionCount));
    try {
      const draft = { metadata: { ...metadata, name: own }, revision };
      const update = await manager.revisions.createWithData(namespace, draft, text);
      return { update, collisionCount };
    } catch (error) {
      if (!isAlreadyExists(error)) throw error;
      const present = await manager.revisions.read(namespace, own);
      if (dataText(present.data) === text) return { update: present, collisionCount };
    }
  }
}

/** Names of DNS subdomains have room for 253 bytes, of which the owner's name may take 223. */
export function revisionName(owner: string, hash: string): string {
  return `${Buffer.from(owner).subarray(0, PREFIX_BYTES_MAX).toString()}-${hash}`;
}

/** Deletes the oldest revisions that no pod runs, beyond the history limit. */
export async function truncateHistory(
  manager: ControllerManager,
  set: Recorded,
  pods: readonly Pod[],
  revisions: readonly ControllerRevision[],
  chosen: ChosenRevisions | undefined,
): Promise<void> {
  const live = new Set(pods.map(revisionOfPod));
  if (chosen !== undefined) live.add(chosen.current.metadata.name).add(chosen.update.metadata.name);
  const idle = revisions.filter(({ metadata }) => !live.has(metadata.name));
  const limit = set.spec.revisionHistoryLimit;
  const excess = limit < 0 ? 0 : Math.max(0, idle.length - limit);
  for (const revision of idle.slice(0, excess)) await manager.revisions.delete(revision);
}
