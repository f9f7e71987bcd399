import 'server-only';
import type { BoundEntry } from '@/lib/api/archived-cluster';
import type { RecorderState } from '@/lib/records/recorder-state';
import type { clusterItemSchema, clusterSchema } from '@/lib/api/cluster';
import type { Answer } from '@/lib/api/common';
import { kindLabel } from '@/lib/kube/resource';
import type { Cluster } from '@/server/cluster/cluster';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import type { Config } from '@/server/shared/config';
import type { ControllerState } from '@/server/controllers/controllers';
import type { ReadContext } from '@/server/views/context';
import type { Mask } from '@/server/shared/mask';
import type { Viewer } from '@/server/shared/viewer';

/** Parts of the running server. */
interface ClusterInfoSources {
  cluster: Cluster;
  config: Pick<Config, 'sandbox'> & Pick<ClusterEntry, 'readOnly' | 'namespaces'>;
  reads: Pick<ReadContext, 'archive' | 'keys'>;
  recorderState: RecorderState;
  controllers: { states(): readonly ControllerState[] } | undefined;
}

/** What the shell shows: which cluster, as whom, how fresh, and what is missing. */
export function clusterInfo(
  { cluster, config, reads, recorderState: recorder, controllers }: ClusterInfoSources,
  viewer: Viewer,
): Answer<typeof clusterSchema> & Pick<Answer<typeof clusterItemSchema>, 'recorder'> {
  const { id, name, server, version } = cluster.identity;
  const { mask } = reads.keys;
  return {
    id,
    name,
    server: mask.text(server),
    version,
    viewer: { id: viewer.id, name: mask.text(viewer.name) },
    readOnly: config.readOnly,
    sandbox: config.sandbox,
    recording: reads.archive != null,
    recorder: recorderOf(recorder, mask),
    controllers: (controllers?.states() ?? []).map(
      ({ name, state, since, holder = null, problem = null }) => ({
        name,
        state,
        since: new Date(since).toISOString(),
        holder,
        problem: mask.text(problem),
      }),
    ),
    namespaces: config.namespaces.length === 0 ? null : config.namespaces,
    ...connectionState(cluster, viewer, mask),
    partial: cluster.cache
      .states()
      .flatMap(({ resource, problem }) =>
        problem === null ? [] : [{ resource, reason: mask.text(problem) }],
      ),
    resources: cluster.cache.kinds().map(({ resource }) => ({
      id: resource.id,
      kind: kindLabel(resource),
      plural: resource.plural,
    })),
  };
}

function recorderOf({ state, since, reason }: RecorderState, mask: Mask) {
  return { state, since: new Date(since).toISOString(), reason: mask.text(reason) };
}

/** The same as a list of clusters shows it. */
export function clusterItem(
  sources: ClusterInfoSources & {
    entry: Pick<ClusterEntry, 'title' | 'stage'>;
    /** As the archive has it. */
    moved: BoundEntry['moved'];
    objects: number;
    templateBytes: number;
  },
  viewer: Viewer,
): Answer<typeof clusterItemSchema> {
  const { connection, ...info } = clusterInfo(sources, viewer);
  const { entry, objects, templateBytes, moved } = sources;
  const { mask } = sources.reads.keys;
  return {
    ...info,
    ...connection,
    title: entry.title,
    stage: entry.stage,
    credential: viewer.credential.kind,
    objects,
    templateBytes,
    moved: moved && { at: moved.at, from: mask.text(moved.from) },
    refusal: null,
    acceptDenied: null,
  };
}

/**
 * The connection of a cluster, in the stream's `state` event. The reason of a failed connection contains addresses and plugins of the process,
 * so only its own identity gets it.
 */
export function connectionState(
  { connection, ready }: Pick<Cluster, 'connection' | 'ready'>,
  viewer: Viewer,
  mask: Mask,
): Pick<Answer<typeof clusterSchema>, 'connection' | 'ready'> {
  const { state, message, observedAt, since } = connection;
  return {
    connection: {
      state,
      message: mask.text(
        message === null || viewer.isProcess ? message : 'Shiplog cannot reach the API server.',
      ),
      observedAt: observedAt === null ? null : new Date(observedAt).toISOString(),
      since: new Date(since).toISOString(),
    },
    ready,
  };
}
