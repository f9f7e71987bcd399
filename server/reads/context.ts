import { type Archive } from '@/server/archive/archive';
import { type Audit } from '@/server/audit/audit';
import { type Config } from '@/server/shared/config';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/shared/keys';
import { type Notices } from '@/server/notifications/notices';
import { type RolloutViews } from '@/server/reads/rollout-view';
import { type ChangeSummaries } from '@/server/reads/change-summaries';
import { type ViewCache } from '@/server/reads/workload-view';

/** What every read needs besides the viewer. */
export interface ReadContext {
  cluster: Cluster;
  keys: Keys;
  views: ViewCache;
  /** Absent where rollouts are not cached between requests. */
  rollouts?: RolloutViews;
  summaries: ChangeSummaries;
  config: Pick<Config, 'links' | 'namespaces'> &
    Partial<Pick<Config, 'readOnly' | 'teamLabel' | 'failureHours' | 'reviewRules' | 'webhooks'>>;
  /** Null or absent where nothing is recorded. */
  archive?: Archive | null;
  /** The recorder's reason why the archive is not open; null or absent where it has none. */
  archiveProblem?: () => string | null;
  /** Absent where notifications are off. */
  notices?: Pick<Notices, 'ofReview'>;
  /** Writes an audit line before a verdict, a comment or a pin is written. Absent where none of them can be. */
  audit?: Pick<Audit, 'note'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}
