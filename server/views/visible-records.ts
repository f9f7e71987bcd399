import 'server-only';
import type { ClusterScope, RecordQuery } from '@/server/archive/record-query';
import type { RecordedNamespace } from '@/server/archive/workloads';
import { connectedCluster } from '@/server/views/connected-cluster';
import type { Fleet, ViewedCluster } from '@/server/views/fleet';
import { overClusters } from '@/server/views/over-clusters';
import type { MaskedPartial } from '@/server/views/partial';
import { typeOf } from '@/lib/kube/resource';
import { requireArchive } from '@/server/views/archive-access';
import type { NamespaceAccess } from '@/server/cluster/viewer-access';
import { isInScope, listableNamespaces, missingNamespaces } from '@/server/views/rights';

/** The bounds of every search for a viewer. */
export type RecordScope = Pick<RecordQuery, 'clusters'>;

export interface VisibleRecords {
  scope: RecordScope;
  /** Every resource and namespace in which the viewer can see records. */
  places: RecordedNamespace[];
  /** Resources with records that the viewer can't see, and clusters whose rights are unknown. */
  partial: MaskedPartial[];
  /** The same with namespaces that were not checked: for callers who check each record that they find there. */
  withDeletedNamespaces: RecordScope;
}

/**
 * The records of the clusters that the viewer can see, so that the archive itself leaves out the others. For a time that
 * begins at `sinceMs`, namespaces that were deleted by then are not checked: with previews there are thousands of them.
 */
export async function visibleRecords(fleet: Fleet, sinceMs = -Infinity): Promise<VisibleRecords> {
  const { answers, partial } = await overClusters(fleet, (viewed) => visibleIn(fleet, viewed, sinceMs));
  const parts = answers.map(({ value }) => value);
  const removed = fleet.removed.map(({ id }) => ({ cluster: id, scopes: null }));
  return {
    scope: { clusters: [...parts.map(({ scope }) => scope), ...removed] },
    places: parts.flatMap(({ places }) => places),
    partial: [...partial, ...answers.flatMap(({ viewed, value }) => refusals(fleet, viewed, value))],
    withDeletedNamespaces: { clusters: [...parts.map(({ wider }) => wider), ...removed] },
  };
}

interface VisibleInCluster {
  scope: ClusterScope;
  wider: ClusterScope;
  places: RecordedNamespace[];
  /** Resources that the viewer can't see everywhere. */
  refused: Refused[];
}

interface Refused {
  resource: string;
  isEverywhere: boolean;
  progress: NamespaceAccess['progress'];
}

async function visibleIn(fleet: Fleet, viewed: ViewedCluster, sinceMs: number): Promise<VisibleInCluster> {
  const { context } = viewed;
  const cluster = connectedCluster(context.cluster);
  const archived = await requireArchive(fleet).workloads.namespaces(cluster);
  const within = archived.filter(({ namespace }) => isInScope(context.cluster, namespace));
  const isRelevant = ({ deletedMs }: RecordedNamespace) => deletedMs === null || deletedMs >= sinceMs;
  const relevant = within.filter(isRelevant);
  const places: RecordedNamespace[] = [];
  const refused: Refused[] = [];
  const parts = await Promise.all(
    [...Map.groupBy(relevant, (place) => place.resource)].map(async ([resource, own]) => {
      const namespaces = own.map(({ namespace }) => namespace);
      const type = typeOf(resource);
      return {
        resource,
        own,
        ...(await listableNamespaces(context.cluster, viewed.viewer, type, namespaces)),
      };
    }),
  );
  for (const { resource, own, includes, progress } of parts) {
    const visible = own.filter(({ namespace }) => includes(namespace));
    places.push(...visible);
    if (visible.length < own.length) refused.push({ resource, isEverywhere: visible.length === 0, progress });
  }
  const deletedEarlier = within.filter((place) => !isRelevant(place));
  // Else what is recorded meanwhile, in a namespace or of a kind that was not checked, would be everyone's.
  const isOpen = parts.length > 0 && parts.every(({ isEverywhere }) => isEverywhere);
  const scopeOf = (namespaces: readonly RecordedNamespace[]) => ({
    cluster,
    scopes: isOpen && namespaces.length === archived.length ? null : byResource(namespaces),
  });
  return {
    scope: scopeOf(places),
    wider: scopeOf([...places, ...deletedEarlier]),
    places,
    refused,
  };
}

function refusals(
  { isSeveral, keys }: Fleet,
  { entry, viewer }: ViewedCluster,
  { refused }: VisibleInCluster,
): MaskedPartial[] {
  return refused.map(({ resource, isEverywhere, progress }) => {
    const { plural } = typeOf(resource);
    const { reason, ...progressing } =
      isEverywhere && progress === null
        ? { reason: `${viewer.name} is not allowed to list ${plural}.` }
        : missingNamespaces(viewer, plural, progress);
    const named = isSeveral && { cluster: entry.name };
    return { ...named, resource, reason: keys.mask.text(reason), ...progressing };
  });
}

function byResource(places: readonly RecordedNamespace[]): NonNullable<ClusterScope['scopes']> {
  return [...Map.groupBy(places, ({ resource }) => resource)].map(([resource, each]) => ({
    resource,
    namespaces: each.map(({ namespace }) => namespace),
  }));
}
