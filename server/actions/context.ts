import { type Refusals } from '@/server/actions/refusals';
import { type Archive } from '@/server/archive/archive';
import { type Audit } from '@/server/audit';
import { type Cluster } from '@/server/cluster/cluster';
import { type Keys } from '@/server/keys';
import { type Logger } from '@/server/log';

/** What every action needs beside the viewer. */
export interface ActionsContext {
  cluster: Cluster;
  keys: Keys;
  audit: Audit;
  refusals: Refusals;
  /** Null where nothing is recorded, and until it has been opened. */
  archive: () => Archive | null;
  /** Once the archive has every line of the audit; rejects where it does not answer. */
  archived: () => Promise<void>;
  log: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
  newId: () => string;
}
