import 'server-only';
import { type ClusterScope, type RecordQuery } from '@/server/archive/record-query';
import { type RecordedNamespace } from '@/server/archive/workloads';
import { connectedCluster } from '@/server/reads/connected-cluster';
import { type ReadContext } from '@/server/reads/context';
import { recordRights, requireArchive } from '@/server/reads/archive-access';
import { filterAllowed, isInScope } from '@/server/reads/rights';
import { type Viewer } from '@/server/shared/viewer';

/** The bounds of every search for a viewer. */
export type RecordScope = Pick<RecordQuery, 'clusters'>;

export interface VisibleRecords {
  scope: RecordScope;
  /** Every resource and namespace in which the viewer can see records. */
  places: RecordedNamespace[];
  /** Resources with records that the viewer can't see. */
  refused: string[];
  /** The same with namespaces that were not checked: for callers who check each record that they find there. */
  withDeletedNamespaces: RecordScope;
}

/**
 * The records of the connected cluster that the viewer can see, so that the archive itself leaves out the others. For a
 * time that begins at `sinceMs`, namespaces that were deleted by then are not checked: with previews there are
 * thousands of them.
 */
export async function visibleRecords(
  context: ReadContext,
  viewer: Viewer,
  sinceMs = -Infinity,
): Promise<VisibleRecords> {
  const cluster = connectedCluster(context.cluster);
  const mayRead = recordRights(context, viewer);
  const archived = await requireArchive(context).workloads.namespaces(cluster);
  const within = archived.filter(({ namespace }) => isInScope(context.cluster, namespace));
  const isRelevant = ({ deletedMs }: RecordedNamespace) => deletedMs === null || deletedMs >= sinceMs;
  const relevant = within.filter(isRelevant);
  const places = await filterAllowed(relevant, mayRead);
  const allowed = new Set(places);
  const refused = relevant.filter((place) => !allowed.has(place)).map(({ resource }) => resource);
  const deletedEarlier = within.filter((place) => !isRelevant(place));
  const scopeOf = (namespaces: readonly RecordedNamespace[]) => ({
    clusters: [{ cluster, scopes: namespaces.length === archived.length ? null : byResource(namespaces) }],
  });
  return {
    scope: scopeOf(places),
    places,
    refused: [...new Set(refused)],
    withDeletedNamespaces: scopeOf([...places, ...deletedEarlier]),
  };
}

function byResource(places: readonly RecordedNamespace[]): NonNullable<ClusterScope['scopes']> {
  return [...Map.groupBy(places, ({ resource }) => resource)].map(([resource, each]) => ({
    resource,
    namespaces: each.map(({ namespace }) => namespace),
  }));
}
