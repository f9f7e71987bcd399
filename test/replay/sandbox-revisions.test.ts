import { expect, test } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { readRecording, recordingNames, type Recording } from '@/test/replay/recording';
import { replayInSandbox } from '@/test/replay/sandbox-replay';

/** The hash of a DaemonSet is of a dump of Go structures, and one recording is as long as ten others. */
const LEFT_OUT = ['kruise/10-daemonset-partition', 'lws/33-surge-quick-changes'];

const names = recordingNames().filter((name) => /^(kruise|lws)\//.test(name) && !LEFT_OUT.includes(name));

test.each(names)(
  'given the changes of people in %s, revisions have the names, numbers, and labels of the real ones, and pods their labels',
  async (name) => {
    const recording = readRecording(name);
    const real = readIdentities(recording);
    expect(real.length).toBeGreaterThan(1);
    expect(readIdentities(await replayInSandbox(recording))).toEqual(real);
  },
);

/** Of what is left at the end; of the pods the names of their labels. */
function readIdentities({ lines }: Recording): string[] {
  const objects = new Map<string, KubeObject>();
  for (const line of lines) {
    if (!('object' in line)) continue;
    if (line.type === 'DELETED') objects.delete(line.object.metadata.uid);
    else objects.set(line.object.metadata.uid, line.object);
  }
  const identities = [...objects.values()].flatMap((object) => {
    const { name, labels = {}, ownerReferences = [] } = object.metadata;
    if (object.kind === 'Pod') return [`a pod with ${Object.keys(labels).sort().join(' ')}`];
    // Those of the StatefulSets in between record the uids of this cluster.
    const isOfWorkload = ['CloneSet', 'LeaderWorkerSet'].includes(ownerReferences[0]?.kind ?? '');
    if (object.kind !== 'ControllerRevision' || !isOfWorkload) return [];
    return [`${name} ${object.revision ?? 0} ${JSON.stringify(Object.entries(labels).sort())}`];
  });
  return [...new Set(identities)].sort();
}
