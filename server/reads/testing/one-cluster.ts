import type { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { Archive } from '@/server/archive/archive';
import { knownIdOf, otherCluster } from '@/server/views/connected-cluster';
import type { ReadContext } from '@/server/views/context';
import type { Fleet, RecordPlace } from '@/server/views/fleet';
import { personAs } from '@/server/identity/testing/fixed-identity';
import { Keys } from '@/server/shared/keys';
import type { Viewer } from '@/server/shared/viewer';

/** For reads that take another cluster by its name: there is none. */
export function onlyCluster(name: string): never {
  throw new Error(`There is no cluster ${name}.`);
}

/** The clusters of a process that has only this one, as the viewer sees it. */
export function oneCluster(context: ReadContext, viewer: Viewer): Fleet {
  const { name } = context.cluster.identity;
  const viewed = { entry: { name, title: name, stage: null }, context, viewer };
  const placeOf = (id: string): RecordPlace =>
    knownIdOf(context.cluster) === id
      ? { state: 'connected', viewed }
      : { state: 'unknown', error: otherCluster(context.cluster, id, 'This record') };
  return {
    ...context,
    clusters: [viewed],
    person: personAs(viewer),
    isSeveral: false,
    removed: [],
    isNarrowed: false,
    placeOf: (id) => Promise.resolve(placeOf(id)),
    rightToSignIns: () => Promise.resolve({ state: 'denied', why: 'No role allows it.' }),
  };
}

/** What reads of the archive need, at that time. */
export function archiveContext(cluster: FakeCluster, archive: Archive, nowMs = 0): ReadContext {
  const keys = new Keys(Buffer.alloc(32, 7));
  return { cluster, archive, keys, config: { links: [] }, now: () => nowMs } as unknown as ReadContext;
}
