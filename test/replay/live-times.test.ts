import { expect, test } from 'vitest';
import { deriveRolloutView } from '@/server/views/rollout-view';
import { deriveView } from '@/server/views/workload-view';
import { readRecording, recordingNames } from '@/test/replay/recording';
import { Replay } from '@/test/replay/replay';

/** What the pages show of every workload and progressive rollout that goes back to a time of the cluster. */
async function liveTimes(name: string): Promise<{ times: string[]; now: string }> {
  const recording = readRecording(name);
  const replay = Replay.startUnrecorded(recording);
  await replay.advanceToEnd();
  const { cluster, views } = replay.context;
  const nowMs = recording.startMs;
  const statuses = [...cluster.cache.workloads()].map(
    (workload) => deriveView(cluster, workload, nowMs).status,
  );
  const rollouts = [...cluster.rollouts.rollouts()].map(
    (object) => deriveRolloutView(cluster, views, object, nowMs).rollout,
  );
  const states = [
    ...statuses,
    ...statuses.flatMap(({ blockers }) => blockers.map(({ block }) => block)),
    ...rollouts,
    ...rollouts.flatMap(({ steps }) => steps),
  ];
  return {
    times: states.flatMap(({ since }) => since ?? []),
    now: new Date(nowMs).toISOString(),
  };
}

test.each(recordingNames().filter((name) => name !== 'sandbox/month'))(
  'with the clock of the cluster ahead, no state of %s begins in the future',
  async (name) => {
    const { times, now } = await liveTimes(name);
    expect(times.filter((time) => Date.parse(time) > Date.parse(now))).toEqual([]);
  },
);

test('a state that begins in the future begins when it is observed', async () => {
  const { times, now } = await liveTimes('argo/18-canary-promote');
  expect(times).toContain(now);
});
