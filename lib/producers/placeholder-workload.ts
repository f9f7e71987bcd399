import type { OwnerReference } from '@/lib/kube/object';
import { recordedData } from '@/lib/kube/recorded-data';
import { compareCreation, compareSources } from '@/lib/history/revision-order';
import { groupKey, type RevisionGroup } from '@/lib/producers/revision-group';
import type { ResourceType } from '@/lib/kube/resource';
import { controllerRevisions } from '@/lib/workloads/sources/controller-revisions';
import type { RevisionSource, Placeholder, TemplateFacts, Workload } from '@/lib/history/workload';

/** The controller that the newest revision of a group names. */
export function ownerOfGroup(sources: readonly RevisionSource[]): OwnerReference | null {
  const newest = sources.toSorted(compareSources).at(-1);
  if (newest === undefined) return null;
  const { controllerApiVersion, controllerKind, controllerName, controllerUid } = newest;
  if (controllerUid === null || controllerKind === null) return null;
  return {
    apiVersion: controllerApiVersion ?? '',
    kind: controllerKind,
    name: controllerName ?? '',
    uid: controllerUid,
    controller: true,
  };
}

/** The resource of groups without a controller: their own. */
export const unownedRevisions: ResourceType = controllerRevisions.resource;

/**
 * A placeholder for a workload whose object is missing, from its revisions. `facts` are those of an empty
 * template: the current one is unknown. Its uid is that of the owner, and of the group where the owner has
 * several.
 */
export function createPlaceholderWorkload(
  { group, sources }: { group: RevisionGroup; sources: readonly RevisionSource[] },
  state: Placeholder['state'],
  resource: ResourceType,
  facts: TemplateFacts,
): Workload {
  const owner = ownerOfGroup(sources);
  const oldest = sources.toSorted(compareCreation)[0];
  const isSingleHistory = group.uid !== null && group.component === null;
  return {
    // Facts may be computed on first use, by members that a copy would not have.
    bodyId: facts.bodyId,
    semanticId: facts.semanticId,
    images: [],
    restartedAt: null,
    templateCause: null,
    resource: resource.id,
    version: resource.versions[0] ?? 'v1',
    uid: isSingleHistory ? group.uid : groupKey(group),
    namespace: group.namespace,
    name: owner?.name ?? group.component ?? '',
    resourceVersion: '',
    generation: 0,
    createdAt: oldest?.createdAt ?? '',
    deletedAt: null,
    labels: {},
    annotations: {},
    hasLastApplied: false,
    owners: [],
    writes: [],
    spec: {},
    status: {},
    placeholder: { state, owner, component: group.component },
  };
}

/** The known current state of a placeholder. */
export const noCurrentTemplate = recordedData({});
