import type { Refusals } from '@/server/audit/refusals';
import type { Archive } from '@/server/archive/archive';
import type { Audit } from '@/server/audit/audit';
import type { Cluster } from '@/server/cluster/cluster';
import type { Hub } from '@/server/views/owner-readings';
import type { Keys } from '@/server/shared/keys';
import type { Logger } from '@/server/shared/log';
import type { Viewer } from '@/server/shared/viewer';

/** The dependencies of every action besides the viewer. */
export interface ActionsContext {
  cluster: Cluster;
  /** The other clusters in which an owner of a workload may be, as the viewer can read them. */
  hubsOf: (viewer: Viewer) => readonly Hub[];
  keys: Keys;
  audit: Audit;
  refusals: Refusals;
  /** Null where nothing is recorded, and until the archive is open. */
  archive: () => Archive | null;
  /** Resolves once the archive has every line of the audit; rejects where it does not answer. */
  whenArchived: () => Promise<void>;
  log: Logger;
  /** Milliseconds since the epoch. */
  now: () => number;
  newId: () => string;
}
