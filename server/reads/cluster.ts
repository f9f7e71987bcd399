import 'server-only';
import { type RecorderState } from '@/lib/records/recorder-state';
import { type ClusterInfo, type StreamState } from '@/lib/api/cluster';
import { kindLabel } from '@/lib/kube/resource';
import { type Cluster } from '@/server/cluster/cluster';
import { type Config } from '@/server/shared/config';
import { type ControllerState } from '@/server/controllers/controllers';
import { type ReadContext } from '@/server/reads/context';
import { type Viewer } from '@/server/shared/viewer';

/** Parts of the running server. */
interface ClusterInfoSources {
  cluster: Cluster;
  config: Pick<Config, 'readOnly' | 'sandbox' | 'namespaces'>;
  reads: Pick<ReadContext, 'archive'>;
  recordKeeper: { readonly state: RecorderState };
  controllers: { states(): readonly ControllerState[] } | undefined;
}

/** What the shell shows: which cluster, as whom, how fresh, and what is missing. */
export function clusterInfo(
  { cluster, config, reads, recordKeeper, controllers }: ClusterInfoSources,
  viewer: Viewer,
): ClusterInfo {
  const recorder = recordKeeper.state;
  const { id, name, server, version } = cluster.identity;
  return {
    id,
    name,
    server,
    version,
    viewer: { id: viewer.id, name: viewer.name },
    readOnly: config.readOnly,
    sandbox: config.sandbox,
    recording: reads.archive != null,
    recorder: { ...recorder, since: new Date(recorder.since).toISOString() },
    controllers: (controllers?.states() ?? []).map(
      ({ name, state, since, holder = null, problem = null }) => ({
        name,
        state,
        since: new Date(since).toISOString(),
        holder,
        problem,
      }),
    ),
    namespaces: config.namespaces.length === 0 ? null : config.namespaces,
    ...streamState(cluster, viewer),
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

/**
 * Data of the stream's `state` event. The reason of a failed connection contains addresses and plugins of the process,
 * so only its own identity gets it.
 */
export function streamState(
  { connection, ready }: Pick<Cluster, 'connection' | 'ready'>,
  viewer: Viewer,
): StreamState {
  const { state, message, observedAt, since } = connection;
  return {
    connection: {
      state,
      message: message === null || viewer.isProcess ? message : "Shiplog can't reach the API server.",
      observedAt: observedAt === null ? null : new Date(observedAt).toISOString(),
      since: new Date(since).toISOString(),
    },
    ready,
  };
}
