import { type Config } from '@/server/config';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/keys';
import { type ViewCache } from '@/server/reads/view';

/** What every read needs beside the viewer. */
export interface ReadContext {
  cluster: Cluster;
  keys: Keys;
  views: ViewCache;
  config: Pick<Config, 'links'>;
  /** Milliseconds since the epoch. */
  now: () => number;
}
