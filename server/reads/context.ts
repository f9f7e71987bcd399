import { type ArchivedCluster } from '@/lib/api/archived-cluster';
import { type AppError } from '@/lib/errors';
import { type Archive } from '@/server/archive/archive';
import { type Audit } from '@/server/audit/audit';
import { type ClusterEntry } from '@/server/shared/cluster-entry';
import { type Config } from '@/server/shared/config';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/shared/keys';
import { type Person, type Viewer } from '@/server/shared/viewer';
import { type Notices } from '@/server/notifications/notices';
import { type Hub } from '@/server/reads/owner-readings';
import { type RolloutViews } from '@/server/reads/rollout-view';
import { type ChangeSummaries } from '@/server/reads/change-summaries';
import { type Right } from '@/server/reads/rights';
import { type ViewCache } from '@/server/reads/workload-view';

/** What reads of all clusters have in common. */
export interface SharedContext {
  keys: Keys;
  config: Partial<Pick<Config, 'teamLabel' | 'failureHours' | 'reviewRules' | 'webhooks'>>;
  /** Null or absent where nothing is recorded. */
  archive?: Archive | null;
  /** Why the archive is not open; null or absent where there is no reason. */
  archiveProblem?: () => string | null;
  /** Absent where notifications are off. */
  notices?: Pick<Notices, 'ofReview'>;
  /** Writes an audit line before a verdict, a comment or a pin is written. Absent where none of them can be. */
  audit?: Pick<Audit, 'note'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}

/** What a read of one cluster needs besides the viewer. */
export interface ReadContext extends SharedContext {
  cluster: Cluster;
  views: ViewCache;
  /** Absent where rollouts are not cached between requests. */
  rollouts?: RolloutViews;
  summaries: ChangeSummaries;
  /** The other clusters in which an owner of a workload may be, as the viewer can read them. Absent: there are none. */
  hubsOf?: (viewer: Viewer) => readonly Hub[];
  config: SharedContext['config'] & Pick<Config, 'links'> & Partial<Pick<Config, 'readOnly'>>;
}

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
