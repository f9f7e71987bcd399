import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { claim } from '@/sandbox/controllers/runtime/owners';
import { isAlreadyExists, type Resource } from '@/sandbox/controllers/runtime/resource';
import { controllerReference, isControlledBy } from '@/sandbox/controllers/objects/owner';
import type { Pod, PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import type { ControllerRevision } from '@/sandbox/controllers/objects/workloads';
import { goJson, revisionHash } from '@/sandbox/controllers/revisions/hash';

/** Of pods: the revision that they run. */
export const REVISION_LABEL = 'controller-revision-hash';
/** Of the revisions of a StatefulSet. */
const HASH_LABEL = 'controller.kubernetes.io/hash';

/** A workload that records its templates as ControllerRevisions. */
export interface Recorded extends KubeObject {
  spec: JsonObject & { selector: JsonObject; template: PodTemplateSpec; revisionHistoryLimit: number };
  status: JsonObject & { currentRevision?: string };
}

export interface ChosenRevisions {
  /** The revision of pods that are not to be updated. */
  current: ControllerRevision;
  /** The revision of all others. */
  update: ControllerRevision;
  /** Always 0: hashes do not collide here. */
  collisionCount: number;
}

/** The revisions of a workload, in order; those without an owner that match its selector are adopted. */
export async function claimRevisions<T extends Recorded>(
  manager: ControllerManager,
  owners: Resource<T>,
  set: T,
): Promise<ControllerRevision[]> {
  const revisions = await claim({ owner: set, owners, resource: manager.revisions });
  return revisions.sort(byRevision);
}

/**
 * The revisions of the current template and of the pods that stay behind.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (getStatefulSetRevisions)
 */
export async function chooseRevisions<T extends Recorded>(
  manager: ControllerManager,
  owners: Resource<T>,
  set: T,
): Promise<ChosenRevisions> {
  const revisions = await claimRevisions(manager, owners, set);
  const hash = revisionHash(dataText(revisionData(set.spec.template)));
  const update = await recordRevision(manager, set, revisions, { [HASH_LABEL]: hash });
  const current = revisions.find(({ metadata }) => metadata.name === set.status.currentRevision);
  return { current: current ?? update, update, collisionCount: 0 };
}

/**
 * The revision of the current template: a new one with this hash as label and in its name, or that of an equal earlier
 * template, under a new number.
 */
export async function recordRevision(
  manager: ControllerManager,
  set: Recorded,
  revisions: readonly ControllerRevision[],
  label: Readonly<Record<string, string>>,
): Promise<ControllerRevision> {
  const text = dataText(revisionData(set.spec.template));
  const isEqual = ({ data }: ControllerRevision) => dataText(data) === text;
  const others = revisions.filter((one) => !isEqual(one));
  const revision = Math.max(0, ...others.map((other) => other.revision)) + 1;
  const present = revisions.findLast(isEqual);
  if (present !== undefined) {
    const { resourceVersion } = present.metadata;
    if (present.revision >= revision) return present;
    return manager.revisions.patch(present, { resourceVersion }, undefined, { revision });
  }
  const { namespace, name: owner, annotations } = set.metadata;
  const name = [owner, ...Object.values(label)].join('-');
  const labels = { ...set.spec.template.metadata?.labels, ...label };
  const metadata = { name, labels, annotations, ownerReferences: [controllerReference(set)] };
  try {
    return await manager.revisions.createWithData(namespace, { metadata, revision }, text);
  } catch (error) {
    const existing = isAlreadyExists(error) ? await manager.revisions.read(namespace, name) : undefined;
    if (existing === undefined || !isEqual(existing)) throw error;
    return existing;
  }
}

/** Deletes the oldest revisions that no pod runs, beyond the history limit. */
export async function truncateHistory(
  manager: ControllerManager,
  set: Recorded,
  { current, update }: ChosenRevisions,
  pods: readonly Pod[],
): Promise<void> {
  const live = new Set(pods.map(({ metadata }) => metadata.labels?.[REVISION_LABEL]));
  live.add(current.metadata.name).add(update.metadata.name);
  const idle = manager.revisions.store
    .inNamespace(set.metadata.namespace)
    .filter((revision) => isControlledBy(revision, set) && !live.has(revision.metadata.name))
    .sort(byRevision);
  const excess = Math.max(0, idle.length - set.spec.revisionHistoryLimit);
  for (const revision of idle.slice(0, excess)) await manager.revisions.delete(revision);
}

/**
 * What a ControllerRevision of a StatefulSet or DaemonSet records: a strategic merge patch that replaces the template.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_utils.go (getPatch)
 */
function revisionData(template: PodTemplateSpec): JsonObject {
  return { spec: { template: { ...template, $patch: 'replace' } } };
}

/** The bytes by which controllers compare revisions. */
export function dataText(data: JsonObject): string {
  return goJson(data);
}

/** The template of a revision; undefined when its data is something else. */
export function templateOf({ data }: Pick<ControllerRevision, 'data'>): PodTemplateSpec | undefined {
  const template = (data as { spec?: { template?: Partial<PodTemplateSpec> & { $patch?: string } } }).spec
    ?.template;
  if (template?.spec === undefined) return undefined;
  const { $patch: _patch, ...rest } = template;
  return { ...rest, spec: template.spec };
}

/** Oldest creation first, then by name. */
export function byCreation({ metadata: a }: KubeObject, { metadata: b }: KubeObject): number {
  if (a.creationTimestamp !== b.creationTimestamp) return a.creationTimestamp < b.creationTimestamp ? -1 : 1;
  if (a.name === b.name) return 0;
  return a.name < b.name ? -1 : 1;
}

/**
 * By number, then creation, then name.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/history/controller_history.go (SortControllerRevisions)
 */
export function byRevision(a: ControllerRevision, b: ControllerRevision): number {
  return a.revision - b.revision || byCreation(a, b);
}
