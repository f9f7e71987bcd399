import { type Fleet, type ReadContext } from '@/server/reads/context';
import { personAs } from '@/server/identity/testing/fixed-identity';
import { type Viewer } from '@/server/shared/viewer';

/** For reads that take another cluster by its name: there is none. */
export function onlyCluster(name: string): never {
  throw new Error(`There is no cluster ${name}.`);
}

/** The clusters of a process that has only this one, as the viewer sees it. */
export function oneCluster(context: ReadContext, viewer: Viewer): Fleet {
  const { name } = context.cluster.identity;
  return {
    ...context,
    clusters: [{ entry: { name, title: name, stage: null }, context, viewer }],
    person: personAs(viewer),
    isSeveral: false,
    removed: [],
    mayReadRemoved: () => Promise.resolve(false),
    mayReadSignIns: () => Promise.resolve(false),
  };
}
