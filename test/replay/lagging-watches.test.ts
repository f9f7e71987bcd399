import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Replay, type Lags } from '@/test/replay/replay';

const recordings = [
  [
    'kubernetes/22-native',
    ['Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'ControllerRevision', 'Pod'],
  ],
  ['argo/18-canary-promote', ['Rollout', 'ReplicaSet', 'Pod']],
  ['argo/19-blue-green', ['Rollout', 'ReplicaSet', 'Pod']],
  ['argo/21-workload-ref', ['Rollout', 'Deployment', 'ReplicaSet', 'Pod']],
  ['lws/04-cause-before-image', ['LeaderWorkerSet', 'ControllerRevision', 'StatefulSet', 'Pod']],
  ['kruise/07-in-place-and-back', ['CloneSet', 'ControllerRevision', 'Pod']],
  ['kruise/10-daemonset-partition', ['DaemonSet', 'ControllerRevision', 'Pod']],
  ['rollouts/11-canary-broken-then-approved', ['Rollout', 'Deployment', 'ReplicaSet', 'Pod']],
  ['rollouts/16-native-daemonset', ['Rollout', 'DaemonSet', 'ControllerRevision', 'Pod']],
] as const;

/** A loaded API server; the rollouts of the recordings are at least three times as far apart. */
const LAG_MS_MAX = 1_000;

async function tellingOf(name: string, lags: Lags): Promise<string[]> {
  const play = await Replay.begin(name, lags);
  await play.toEnd();
  await play.silence(60_000);
  await play.records('');
  return [...play.archive.records.values()]
    .map(({ workload, activation, from, to, summary, actor, cause }) =>
      JSON.stringify([
        workload.kind,
        workload.name,
        activation,
        from?.number,
        to.number,
        summary,
        actor?.name,
        cause,
      ]),
    )
    .sort();
}

test.each(recordings)(
  'template, revision and status may come in any order: %s has the same rollouts, each with what changed, who and why',
  async (name, kinds) => {
    const truth = await tellingOf(name, {});
    const lags = fc.record(
      Object.fromEntries(kinds.map((kind) => [kind, fc.integer({ min: 0, max: LAG_MS_MAX })])),
    );
    await fc.assert(
      fc.asyncProperty(lags, async (late) => {
        expect(await tellingOf(name, late)).toEqual(truth);
      }),
      { numRuns: 5 },
    );
  },
  60_000,
);
