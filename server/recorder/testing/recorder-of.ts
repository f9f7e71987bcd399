import type { Cluster } from '@/server/cluster/cluster';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { deriveView } from '@/server/views/workload-view';
import { Recorder, type RecorderOptions } from '@/server/recorder/recorder';
import type { Clock } from '@/server/shared/clock';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';

/** Of a cluster in which nothing is done through Shiplog and no configuration is followed, unless `more` says so. */
export function recorderOf(
  cluster: Cluster,
  archive: RecorderOptions['archive'],
  clock: Clock,
  more: Partial<RecorderOptions> = {},
): Recorder {
  const keys = new Keys(Buffer.alloc(32, 7));
  return new Recorder({
    ...{ cluster, archive, keys, clock, log: silentLogger },
    summaries: new ChangeSummaries(keys.mask),
    view: (workload) => deriveView(cluster, workload, clock.now()),
    actionsOf: () => [],
    configChangesOf: () => [],
    ...more,
  });
}
