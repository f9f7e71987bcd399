import type { Archive } from '@/server/archive/archive';
import type { Audit } from '@/server/audit/audit';
import type { Config } from '@/server/shared/config';
import type { Cluster } from '@/server/cluster/cluster';
import type { Keys } from '@/server/shared/keys';
import type { Viewer } from '@/server/shared/viewer';
import type { Notices } from '@/server/notifications/notices';
import type { Hub } from '@/server/views/owner-readings';
import type { RolloutViews } from '@/server/views/rollout-view';
import type { ChangeSummaries } from '@/server/views/change-summaries';
import type { ViewCache } from '@/server/views/workload-view';

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
