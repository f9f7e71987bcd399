import { textAt } from '@/lib/kube/read';
import { groupOf } from '@/lib/kube/object';
import { ownerOf } from '@/lib/producers/stored-object';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import type { RevisionSource } from '@/lib/history/workload';

/** The key that ControllerRevisions share: exactly one page shows them. */
export type RevisionGroup =
  /** A workload of a kind of ours, in or besides whose history they are listed. */
  | { by: 'workload'; namespace: string; uid: string; component: null }
  /** Any other owner; of one that has several components, one of them. */
  | { by: 'owner'; namespace: string; uid: string; component: string | null }
  /** They have no controller, but their labels name a component of KubeVela. */
  | { by: 'component'; namespace: string; uid: null; component: string }
  /** All others of a namespace without a controller. */
  | { by: 'orphans'; namespace: string; uid: null; component: null };

const COMPONENT = 'controller.oam.dev/component';
const OAM = 'core.oam.dev';
const MULTI_COMPONENT_KINDS: ReadonlySet<string> = new Set(['Application', 'ResourceTracker']);

/** Kinds of ours whose revisions are ControllerRevisions: `StatefulSet.apps`. */
const knownKinds: ReadonlySet<string> = new Set(
  workloadKinds
    .filter(({ source }) => source === controllerRevisions)
    .map(({ resource }) => `${resource.kind}.${resource.group}`),
);

/**
 * The group of a single ControllerRevision: ownership decides, and labels only where there is none, or where
 * one owner has several histories. `workload` here means that its controller is of a kind of ours, whether or
 * not it exists.
 */
export function groupOfRevision(source: RevisionSource): RevisionGroup {
  const { namespace, controllerUid } = source;
  const component = componentOf(source);
  if (controllerUid === null) {
    return component === null
      ? { by: 'orphans', namespace, uid: null, component: null }
      : { by: 'component', namespace, uid: null, component };
  }
  const owner = ownerOf(source);
  if (owner === null || knownKinds.has(`${owner.kind}.${groupOf(owner.apiVersion)}`))
    return { by: 'workload', namespace, uid: controllerUid, component: null };
  const isSplit = groupOf(owner.apiVersion) === OAM && MULTI_COMPONENT_KINDS.has(owner.kind);
  return { by: 'owner', namespace, uid: controllerUid, component: isSplit ? component : null };
}

/** The component of KubeVela that a ControllerRevision is of; null for others. */
export function componentOf({ labels }: Pick<RevisionSource, 'labels'>): string | null {
  return textAt(labels, COMPONENT) ?? null;
}

/** Text that is the same for all of a group and for no other one. */
export function groupKey({ by, namespace, uid, component }: RevisionGroup): string {
  return JSON.stringify([by, namespace, uid, component]);
}
