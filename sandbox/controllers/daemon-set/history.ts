import type { KubeObject } from '@/lib/kube/object';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import { targetNode } from '@/sandbox/controllers/objects/node';
import { isControlledBy } from '@/sandbox/controllers/objects/owner';
import type { Pod } from '@/sandbox/controllers/objects/pod';
import type { ControllerRevision, DaemonSet } from '@/sandbox/controllers/objects/workloads';
import {
  byRevision,
  type ChosenRevisions,
  claimRevisions,
  dataText,
  recordRevision,
  REVISION_LABEL,
} from '@/sandbox/controllers/revisions/controller-revisions';
import type { Pass } from '@/sandbox/controllers/pod-set/pod-set-controller';
import { templateHash } from '@/sandbox/controllers/revisions/hash';

export function hashOf({ metadata }: Pick<ControllerRevision, 'metadata'>): string {
  return metadata.labels?.[REVISION_LABEL] ?? '';
}

/** How every set with a pod on each node chooses, labels, and prunes its revisions, and knows the places of its pods. */
export const daemonHooks = {
  chooseRevisions,
  prune,
  placeOf: ({ spec }: Pod): string => targetNode(spec) ?? '',
  revisionLabels: (revision: ControllerRevision) => ({ [REVISION_LABEL]: hashOf(revision) }),
};

/**
 * The revision of the current template. Of several the one with the highest number stays, and all pods get its label,
 * whatever they run.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/daemon/update.go (constructHistory)
 */
async function chooseRevisions<T extends DaemonSet>(
  manager: ControllerManager,
  owners: Resource<T>,
  set: T,
): Promise<ChosenRevisions> {
  const revisions = await claimRevisions(manager, owners, set);
  const label = { [REVISION_LABEL]: templateHash(set.spec.template, undefined) };
  const current = await recordRevision(manager, set, revisions, label);
  const text = dataText(current.data);
  const copies = revisions.filter(
    ({ metadata, data }) => metadata.uid !== current.metadata.uid && dataText(data) === text,
  );
  const chosen = { current, update: current, collisionCount: 0 };
  if (copies.length === 0) return chosen;
  const labels = { [REVISION_LABEL]: hashOf(current) };
  for (const pod of ownedBy(set, manager.pods))
    if (hashOf(pod) !== hashOf(current)) await manager.pods.patch(pod, { labels });
  for (const copy of copies) await manager.revisions.delete(copy);
  return chosen;
}

/** Deletes the oldest revisions that no pod runs, while there are more than the history limit. */
async function prune<T extends DaemonSet>(
  { manager, set, revisions }: Pass<T>,
  pods: readonly Pod[],
): Promise<void> {
  const old = ownedBy(set, manager.revisions).filter(
    ({ metadata }) => metadata.uid !== revisions.update.metadata.uid,
  );
  const live = new Set(pods.map(hashOf));
  const idle = old.toSorted(byRevision).filter((revision) => !live.has(hashOf(revision)));
  const excess = Math.max(0, old.length - set.spec.revisionHistoryLimit);
  for (const revision of idle.slice(0, excess)) await manager.revisions.delete(revision);
}

function ownedBy<T extends KubeObject>(set: DaemonSet, { store }: Pick<Resource<T>, 'store'>): T[] {
  return store.inNamespace(set.metadata.namespace).filter((object) => isControlledBy(object, set));
}
