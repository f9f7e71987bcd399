import type { ArchivedCluster } from '@/lib/api/archived-cluster';
import type { AppError } from '@/lib/errors';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import type { Person, Viewer } from '@/server/shared/viewer';
import type { ReadContext, SharedContext } from '@/server/views/context';
import type { Right } from '@/server/views/rights';

/** A cluster with the viewer as it knows them. */
export interface ViewedCluster {
  entry: Pick<ClusterEntry, 'name' | 'title' | 'stage'>;
  context: ReadContext;
  viewer: Viewer;
}

/** The clusters that an answer is about. */
export interface Fleet extends SharedContext {
  clusters: readonly ViewedCluster[];
  /** The viewer where no cluster tells who they are. */
  person: Person;
  /** Whether Shiplog reads several, whichever the answer is about: then each item and problem names its own. */
  isSeveral: boolean;
  /** Clusters that are no longer configured, that the request names, and whose records the viewer can see. */
  removed: readonly ArchivedCluster[];
  /** Whether the request chooses clusters. That narrows what an answer shows, and decides about no right. */
  isNarrowed: boolean;
  /** Where the records of a cluster belong, by its id in the archive: of all clusters, whichever the request chooses. */
  placeOf: (id: string) => Promise<RecordPlace>;
  /** Whether the viewer can see when other people signed in. */
  rightToSignIns: () => Promise<Right>;
}

/** The cluster of a record, and with it what decides who can see the record. */
export type RecordPlace =
  | { readonly state: 'connected'; readonly viewed: ViewedCluster }
  /** No entry of the configuration can be this cluster. `right`: to the records of such clusters. */
  | { readonly state: 'removed'; readonly right: Right }
  /** Not one that Shiplog reads now, and not removed either: nothing tells who can see its records. */
  | { readonly state: 'unknown'; readonly error: AppError };
