import 'server-only';
import { type Place, type RecordQuery } from '@/server/archive/archive';
import { connectedCluster } from '@/server/reads/connected-cluster';
import { type ReadContext } from '@/server/reads/context';
import { recordRights, requireArchive } from '@/server/reads/ledger';
import { filterAllowed, isLookedAt } from '@/server/reads/rights';
import { type Viewer } from '@/server/viewer';

/** What every search for a viewer is limited to. */
export type RecordScope = Pick<RecordQuery, 'cluster' | 'places'>;

export interface VisibleRecords {
  scope: RecordScope;
  /** Every resource and namespace in which the viewer may see records. */
  places: Place[];
  /** Of which there are records that the viewer may not see. */
  refused: string[];
  /** The same with namespaces that were not asked about: for who asks of each record that it finds there. */
  wider: RecordScope;
}

/**
 * The records of the connected cluster that the viewer may see, so that the archive itself leaves out the others. Of a
 * time that begins at `sinceMs`, namespaces that were gone by then are not asked about: where previews come and go there
 * are thousands of them.
 */
export async function visibleRecords(
  context: ReadContext,
  viewer: Viewer,
  sinceMs = -Infinity,
): Promise<VisibleRecords> {
  const cluster = connectedCluster(context.cluster);
  const mayRead = recordRights(context, viewer);
  const archived = await requireArchive(context).places(cluster);
  const within = archived.filter(({ namespace }) => isLookedAt(context.cluster, namespace));
  const isConcerned = ({ deletedMs }: Place) => deletedMs === null || deletedMs >= sinceMs;
  const concerned = within.filter(isConcerned);
  const places = await filterAllowed(concerned, mayRead);
  const seen = new Set(places);
  const refused = concerned.filter((place) => !seen.has(place)).map(({ resource }) => resource);
  const gone = within.filter((place) => !isConcerned(place));
  const scopeOf = (some: readonly Place[]) => ({
    cluster,
    places: some.length === archived.length ? null : byResource(some),
  });
  return {
    scope: scopeOf(places),
    places,
    refused: [...new Set(refused)],
    wider: scopeOf([...places, ...gone]),
  };
}

function byResource(places: readonly Place[]): NonNullable<RecordQuery['places']> {
  return [...Map.groupBy(places, ({ resource }) => resource)].map(([resource, each]) => ({
    resource,
    namespaces: each.map(({ namespace }) => namespace),
  }));
}
