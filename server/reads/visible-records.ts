import 'server-only';
import { type ClusterScope, type RecordQuery } from '@/server/archive/record-query';
import { type RecordedNamespace } from '@/server/archive/workloads';
import { connectedCluster } from '@/server/reads/connected-cluster';
import { type Fleet, type ViewedCluster } from '@/server/reads/context';
import { overClusters } from '@/server/reads/over-clusters';
import { type MaskedPartial } from '@/server/reads/partial';
import { recordRights, requireArchive } from '@/server/reads/archive-access';
import { filterAllowed, isInScope } from '@/server/reads/rights';

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
  refused: string[];
}

async function visibleIn(fleet: Fleet, viewed: ViewedCluster, sinceMs: number): Promise<VisibleInCluster> {
  const { context } = viewed;
  const cluster = connectedCluster(context.cluster);
  const rights = recordRights({ clusters: [viewed], removed: [] });
  const mayRead = ({ resource, namespace }: RecordedNamespace) => rights({ cluster, resource, namespace });
  const archived = await requireArchive(fleet).workloads.namespaces(cluster);
  const within = archived.filter(({ namespace }) => isInScope(context.cluster, namespace));
  const isRelevant = ({ deletedMs }: RecordedNamespace) => deletedMs === null || deletedMs >= sinceMs;
  const relevant = within.filter(isRelevant);
  const places = await filterAllowed(relevant, mayRead);
  const allowed = new Set(places);
  const refused = relevant.filter((place) => !allowed.has(place)).map(({ resource }) => resource);
  const deletedEarlier = within.filter((place) => !isRelevant(place));
  const scopeOf = (namespaces: readonly RecordedNamespace[]) => ({
    cluster,
    scopes: namespaces.length === archived.length ? null : byResource(namespaces),
  });
  return {
    scope: scopeOf(places),
    wider: scopeOf([...places, ...deletedEarlier]),
    places,
    refused: [...new Set(refused)],
  };
}

function refusals(
  { isSeveral, keys }: Fleet,
  { entry, viewer }: ViewedCluster,
  { refused, places }: VisibleInCluster,
): MaskedPartial[] {
  return refused.map((resource) => {
    const [plural = resource] = resource.split('.');
    const where = places.some((place) => place.resource === resource) ? ' in some namespaces' : '';
    const reason = keys.mask.text(`${viewer.name} is not allowed to list ${plural}${where}.`);
    return { ...(isSeveral && { cluster: entry.name }), resource, reason };
  });
}

function byResource(places: readonly RecordedNamespace[]): NonNullable<ClusterScope['scopes']> {
  return [...Map.groupBy(places, ({ resource }) => resource)].map(([resource, each]) => ({
    resource,
    namespaces: each.map(({ namespace }) => namespace),
  }));
}
