import { groupOf } from '@/lib/kube/object';
import { matchesSelector, parseLabelSelector } from '@/lib/kube/selector';
import { ownerOf } from '@/lib/producers/stored-object';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import { workloadKinds } from '@/lib/workloads/table';
import { type RevisionSource, type Workload } from '@/lib/workloads/workload';

/** What ControllerRevisions have in common: exactly one page shows them. */
export type RevisionGroup =
  /** A workload of a kind of ours, in whose history or beside it they stand. */
  | { by: 'workload'; namespace: string; uid: string; component: null }
  /** Any other owner; of one that has several components, one of them. */
  | { by: 'owner'; namespace: string; uid: string; component: string | null }
  /** Nobody controls them, but their labels name a component of KubeVela. */
  | { by: 'component'; namespace: string; uid: null; component: string }
  /** All others of a namespace that nobody controls. */
  | { by: 'orphans'; namespace: string; uid: null; component: null };

const COMPONENT = 'controller.oam.dev/component';
const OAM = 'core.oam.dev';
const OF_SEVERAL_COMPONENTS: ReadonlySet<string> = new Set(['Application', 'ResourceTracker']);

/** Kinds of ours whose revisions are ControllerRevisions: `StatefulSet.apps`. */
const ownKinds: ReadonlySet<string> = new Set(
  workloadKinds
    .filter(({ source }) => source === controllerRevisions)
    .map(({ resource }) => `${resource.kind}.${resource.group}`),
);

/**
 * The group of a ControllerRevision by itself: ownership decides, and labels only where there is none, or where one owner
 * has several histories. `workload` here means that its controller is of a kind of ours, whether or not it is there.
 */
export function groupOfRevision(source: RevisionSource): RevisionGroup {
  const { namespace, controllerUid, labels } = source;
  const component = Object.hasOwn(labels, COMPONENT) ? (labels[COMPONENT] ?? null) : null;
  if (controllerUid === null) {
    return component === null
      ? { by: 'orphans', namespace, uid: null, component: null }
      : { by: 'component', namespace, uid: null, component };
  }
  const owner = ownerOf(source);
  if (owner === null || ownKinds.has(`${owner.kind}.${groupOf(owner.apiVersion)}`))
    return { by: 'workload', namespace, uid: controllerUid, component: null };
  const isSplit = groupOf(owner.apiVersion) === OAM && OF_SEVERAL_COMPONENTS.has(owner.kind);
  return { by: 'owner', namespace, uid: controllerUid, component: isSplit ? component : null };
}

/** Text that is the same for all of a group and for no other one. */
export function groupKey({ by, namespace, uid, component }: RevisionGroup): string {
  return JSON.stringify([by, namespace, uid, component]);
}

/** What a group is to be put together from. */
export interface GroupedRevisions {
  group: RevisionGroup;
  sources: readonly RevisionSource[];
}

/**
 * Every ControllerRevision in exactly one group. `workloads` are those of the kinds of ours that are there, parts among
 * them: a revision whose controller is not stands by itself until it is deleted too, and one without a controller belongs
 * beside the workload whose selector it matches, of several the one that was there first.
 */
export function groupRevisions(
  sources: Iterable<RevisionSource>,
  workloads: readonly Workload[],
): GroupedRevisions[] {
  const present = new Set(workloads.map(({ uid }) => uid));
  const claimants = claimantsOf(workloads);
  const groups = new Map<string, { group: RevisionGroup; sources: RevisionSource[] }>();
  for (const source of sources) {
    if (source.resource !== controllerRevisions.resource.id) continue;
    const group = placed(groupOfRevision(source), source, present, claimants);
    const key = groupKey(group);
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { group, sources: [source] });
    else known.sources.push(source);
  }
  return [...groups.values()];
}

function placed(
  group: RevisionGroup,
  source: RevisionSource,
  present: ReadonlySet<string>,
  claimants: Claimants,
): RevisionGroup {
  if (group.by === 'workload' && !present.has(group.uid)) return { ...group, by: 'owner' };
  if (group.by !== 'orphans') return group;
  const claimant = claimants(source);
  return claimant === undefined
    ? group
    : { by: 'workload', namespace: group.namespace, uid: claimant.uid, component: null };
}

type Claimants = (source: RevisionSource) => Workload | undefined;

/** Selectors are read once, and only where there is an orphan. */
function claimantsOf(workloads: readonly Workload[]): Claimants {
  const selectors = new Map<string, ReturnType<typeof parseLabelSelector>>();
  const inOrder = workloads
    .filter(({ spec }) => spec.selector !== undefined)
    .toSorted((a, b) =>
      a.createdAt < b.createdAt ? -1 : a.createdAt > b.createdAt ? 1 : a.uid < b.uid ? -1 : 1,
    );
  return (source) =>
    inOrder.find((workload) => {
      if (workload.namespace !== source.namespace) return false;
      const known = selectors.get(workload.uid);
      const selector = known ?? parseLabelSelector(workload.spec.selector);
      if (known === undefined) selectors.set(workload.uid, selector);
      return matchesSelector(selector, source.labels);
    });
}
