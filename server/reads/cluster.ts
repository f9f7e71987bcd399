import 'server-only';
import { type ClusterInfo } from '@/lib/api/cluster';
import { kindLabel } from '@/lib/workloads/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { type Config } from '@/server/config';
import { type ControllerState } from '@/server/controllers/controllers';
import { type RecorderState } from '@/server/recorder/recorder';
import { type Viewer } from '@/server/viewer';

/** What the shell shows: which cluster, as whom, how fresh, and what is missing. */
export function clusterInfo(
  cluster: Cluster,
  config: Pick<Config, 'readOnly' | 'sandbox' | 'namespaces'>,
  viewer: Viewer,
  recording: boolean,
  recorder: RecorderState | null,
  controllers: readonly ControllerState[],
): ClusterInfo {
  const { identity, connection } = cluster;
  return {
    ...identity,
    viewer: { name: viewer.name },
    readOnly: config.readOnly,
    sandbox: config.sandbox,
    recording,
    recorder: recorder === null ? null : { ...recorder, since: new Date(recorder.since).toISOString() },
    controllers: controllers.map(({ name, state, since, holder = null, problem = null }) => ({
      name,
      state,
      since: new Date(since).toISOString(),
      holder,
      problem,
    })),
    namespaces: config.namespaces.length === 0 ? null : [...config.namespaces],
    connection: {
      state: connection.state,
      message: connection.message,
      observedAt: connection.observedAt === null ? null : new Date(connection.observedAt).toISOString(),
      since: new Date(connection.since).toISOString(),
    },
    ready: cluster.ready,
    partial: cluster.cache
      .states()
      .flatMap(({ resource, problem }) => (problem === null ? [] : [{ resource, reason: problem }])),
    resources: cluster.cache.kinds().map(({ resource }) => ({
      id: resource.id,
      kind: kindLabel(resource),
      plural: resource.plural,
    })),
  };
}
