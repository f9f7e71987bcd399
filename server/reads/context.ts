import { type Archive } from '@/server/archive/archive';
import { type Config } from '@/server/config';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/keys';
import { type Summaries } from '@/server/reads/summaries';
import { type ViewCache } from '@/server/reads/view';

/** What every read needs beside the viewer. */
export interface ReadContext {
  cluster: Cluster;
  keys: Keys;
  views: ViewCache;
  summaries: Summaries;
  config: Pick<Config, 'links' | 'namespaces'> &
    Partial<Pick<Config, 'teamLabel' | 'failureHours' | 'reviewRules'>>;
  /** Null or absent where nothing is recorded. */
  archive?: Archive | null;
  /** Milliseconds since the epoch. */
  now: () => number;
}
