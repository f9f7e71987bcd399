import { type Archive } from '@/server/archive/archive';
import { type Audit } from '@/server/audit';
import { type Config } from '@/server/config';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/keys';
import { type Notices } from '@/server/notifications/notices';
import { type RolloutViews } from '@/server/reads/rollout-view';
import { type Summaries } from '@/server/reads/summaries';
import { type ViewCache } from '@/server/reads/view';

/** What every read needs beside the viewer. */
export interface ReadContext {
  cluster: Cluster;
  keys: Keys;
  views: ViewCache;
  /** Absent where nothing is kept of rollouts from one question to the next. */
  rollouts?: RolloutViews;
  summaries: Summaries;
  config: Pick<Config, 'links' | 'namespaces'> &
    Partial<Pick<Config, 'readOnly' | 'teamLabel' | 'failureHours' | 'reviewRules' | 'webhooks'>>;
  /** Null or absent where nothing is recorded. */
  archive?: Archive | null;
  /** What the recorder says of an archive that is not open; null or absent where it has said nothing. */
  archiveProblem?: () => string | null;
  /** Absent where nobody is told of anything. */
  notices?: Pick<Notices, 'ofReview'>;
  /** Gets a line before a verdict, a comment or a pin is written. Absent where none of them is. */
  audit?: Pick<Audit, 'note'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}
