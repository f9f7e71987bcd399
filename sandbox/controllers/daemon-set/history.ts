import { canonicalJson } from '@/lib/kube/json';
import { parseLabelSelector } from '@/lib/kube/selector';
import { AppError } from '@/lib/errors';
import { claim } from '@/sandbox/controllers/engine/claim';
import { isAlreadyExists, type Resource } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { HASH_LABEL } from '@/sandbox/controllers/daemon-set/template';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { type ControllerRevision, type DaemonSet } from '@/sandbox/controllers/objects/workloads';
import { dataText, revisionData } from '@/sandbox/controllers/revisions/data';
import { templateHash } from '@/sandbox/controllers/revisions/hash';
import { renumber } from '@/sandbox/controllers/revisions/renumber';

export interface DaemonHistory {
  current: ControllerRevision;
  old: ControllerRevision[];
}

/**
 * The revision of the current template, recorded or renumbered if necessary, and all others.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go (constructHistory)
 */
export async function constructHistory<T extends DaemonSet>(
  manager: ControllerManager,
  owners: Resource<T>,
  set: T,
  pods: readonly Pod[],
): Promise<DaemonHistory> {
  const claimed = await claim({
    owner: set,
    owners,
    selector: parseLabelSelector(set.spec.selector),
    resource: manager.revisions,
    candidates: manager.revisions.store.inNamespace(set.metadata.namespace),
  });
  const revisions: ControllerRevision[] = [];
  for (const revision of claimed) revisions.push(await labelled(manager, revision));
  const text = dataText(revisionData(set.spec.template));
  const matching = revisions.filter(({ data }) => dataText(data) === text);
  const old = revisions.filter((revision) => !matching.includes(revision));
  const wanted = Math.max(0, ...old.map(({ revision }) => revision)) + 1;
  if (matching.length === 0) return { current: await snapshot(manager, owners, set, text, wanted), old };
  const kept = await deduplicate(manager, matching, pods);
  return { current: kept.revision < wanted ? await renumber(manager, kept, wanted) : kept, old };
}

async function labelled(
  manager: ControllerManager,
  revision: ControllerRevision,
): Promise<ControllerRevision> {
  const { labels, name } = revision.metadata;
  return labels?.[HASH_LABEL] === undefined
    ? manager.revisions.patch(revision, { labels: { [HASH_LABEL]: name } })
    : revision;
}

/** Keeps the revision with the highest number, and labels all pods with it, whatever they run. */
async function deduplicate(
  manager: ControllerManager,
  matching: readonly ControllerRevision[],
  pods: readonly Pod[],
): Promise<ControllerRevision> {
  const kept = matching.reduce((best, other) => (other.revision >= best.revision ? other : best));
  if (matching.length === 1) return kept;
  const hash = kept.metadata.labels?.[HASH_LABEL] ?? '';
  for (const pod of pods)
    if (pod.metadata.labels?.[HASH_LABEL] !== hash)
      await manager.pods.patch(pod, { labels: { [HASH_LABEL]: hash } });
  for (const other of matching) if (other !== kept) await manager.revisions.delete(other);
  return kept;
}

async function snapshot<T extends DaemonSet>(
  manager: ControllerManager,
  owners: Resource<T>,
  set: T,
  text: string,
  revision: number,
): Promise<ControllerRevision> {
  const { metadata, spec, status } = set;
  const hash = templateHash(spec.template, status.collisionCount);
  const name = `${metadata.name}-${hash}`;
  const draft = {
    metadata: {
      name,
      labels: { ...spec.template.metadata?.labels, [HASH_LABEL]: hash },
      ...(metadata.annotations === undefined ? {} : { annotations: metadata.annotations }),
      ownerReferences: [controllerReference(set)],
    },
    revision,
  };
  try {
    return await manager.revisions.createWithData(metadata.namespace, draft, text);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
    const present = await manager.revisions.read(metadata.namespace, name);
    if (dataText(present.data) === text) return present;
    await raiseCollisionCount(owners, set);
    throw error;
  }
}

async function raiseCollisionCount<T extends DaemonSet>(owners: Resource<T>, set: T): Promise<void> {
  const present = await owners.read(set.metadata.namespace, set.metadata.name);
  const [before, seen] = [present.status.collisionCount, set.status.collisionCount];
  if (canonicalJson(before ?? null) !== canonicalJson(seen ?? null))
    throw new AppError('conflict', `The collision count of DaemonSet ${set.metadata.name} is out of date.`);
  const collisionCount = (before ?? 0) + 1;
  await owners.replaceStatus({ ...present, status: { ...present.status, collisionCount } });
}

/** Deletes the oldest revisions that no pod runs, while there are more than the history limit. */
export async function cleanUpHistory(
  manager: ControllerManager,
  set: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): Promise<void> {
  const hashes = new Set(pods.flatMap(({ metadata }) => metadata.labels?.[HASH_LABEL] ?? []));
  const inOrder = old.toSorted((a, b) => a.revision - b.revision);
  const idle = inOrder.filter(({ metadata }) => !hashes.has(metadata.labels?.[HASH_LABEL] ?? ''));
  const excess = Math.max(0, old.length - set.spec.revisionHistoryLimit);
  for (const revision of idle.slice(0, excess)) await manager.revisions.delete(revision);
}
