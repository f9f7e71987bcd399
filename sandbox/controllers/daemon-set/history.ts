import { type ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { type Resource } from '@/sandbox/controllers/runtime/resource';
import { type Pod } from '@/sandbox/controllers/objects/pod';
import { type ControllerRevision, type DaemonSet } from '@/sandbox/controllers/objects/workloads';
import {
  byRevision,
  claimRevisions,
  dataText,
  recordRevision,
  REVISION_LABEL,
} from '@/sandbox/controllers/revisions/controller-revisions';
import { templateHash } from '@/sandbox/controllers/revisions/hash';

export function hashOf({ metadata }: Pick<ControllerRevision, 'metadata'>): string {
  return metadata.labels?.[REVISION_LABEL] ?? '';
}

/**
 * The revision of the current template. Of several the one with the highest number stays, and all pods get its label,
 * whatever they run.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go (constructHistory)
 */
export async function constructHistory<T extends DaemonSet>(
  manager: ControllerManager,
  owners: Resource<T>,
  set: T,
  pods: readonly Pod[],
): Promise<{ current: ControllerRevision }> {
  const revisions = await claimRevisions(manager, owners, set);
  const label = { [REVISION_LABEL]: templateHash(set.spec.template, undefined) };
  const current = await recordRevision(manager, set, revisions, label);
  const text = dataText(current.data);
  const copies = revisions.filter(
    ({ metadata, data }) => metadata.uid !== current.metadata.uid && dataText(data) === text,
  );
  if (copies.length === 0) return { current };
  const labels = { [REVISION_LABEL]: hashOf(current) };
  for (const pod of pods) if (hashOf(pod) !== hashOf(current)) await manager.pods.patch(pod, { labels });
  for (const copy of copies) await manager.revisions.delete(copy);
  return { current };
}

/** Deletes the oldest revisions that no pod runs, while there are more than the history limit. */
export async function cleanUpHistory(
  manager: ControllerManager,
  set: DaemonSet,
  old: readonly ControllerRevision[],
  pods: readonly Pod[],
): Promise<void> {
  const live = new Set(pods.map(hashOf));
  const idle = old.toSorted(byRevision).filter((revision) => !live.has(hashOf(revision)));
  const excess = Math.max(0, old.length - set.spec.revisionHistoryLimit);
  for (const revision of idle.slice(0, excess)) await manager.revisions.delete(revision);
}
