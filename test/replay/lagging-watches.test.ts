import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { RolloutRecord } from '@/lib/api/record';
import { readRecording, recordingNames, type Recording } from '@/test/replay/recording';
import { Replay, type Lags } from '@/test/replay/replay';

const names = [
  'kubernetes/22-native',
  'argo/18-canary-promote',
  'argo/19-blue-green',
  'argo/21-workload-ref',
  'lws/04-cause-before-image',
  'kruise/07-in-place-and-back',
  'kruise/10-daemonset-partition',
  'rollouts/11-canary-broken-then-approved',
  'rollouts/16-native-daemonset',
  'sandbox/advanced-stateful-set',
  'sandbox/application',
  'sandbox/oam-two-deployments',
  'sandbox/oam-clone-set',
];

/**
 * A loaded API server; the changes are at least twice as far apart, also from a change cause that is written
 * before.
 */
const LAG_MS_MAX = 1_500;

async function recordsOf(recording: Recording, lags: Lags): Promise<RolloutRecord[]> {
  const replay = await Replay.start(recording, lags);
  await replay.advanceToEnd();
  await replay.passTime(60_000);
  await replay.records('');
  return [...replay.archive.records.values()];
}

/** Each rollout with who started it. */
const describeActors = (records: readonly RolloutRecord[]) =>
  records.map(({ id, actor }) => `${id} ${actor?.name}`).sort();

/** Each pod with its step, where a system steps the rollout. */
const describeSteps = (records: readonly RolloutRecord[]) =>
  records
    .filter(({ progressiveRollout }) => progressiveRollout !== null)
    .flatMap(({ id, steps }) =>
      steps.flatMap(({ name, pods }) => pods.map((pod) => `${id} ${name} ${pod.name}`)),
    )
    .sort();

async function describeHistory(recording: Recording, lags: Lags): Promise<string[]> {
  return (await recordsOf(recording, lags))
    .map(({ workload, activation, from, to, summary, actor, cause }) =>
      JSON.stringify([
        `${workload.kind} ${workload.name}`,
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

test.each(names)(
  'template, revision and status may arrive in any order: %s has the same rollouts, each with what changed, who and why',
  async (name) => {
    const recording = readRecording(name);
    const truth = await describeHistory(recording, {});
    const kinds = new Set(recording.lines.flatMap((line) => ('object' in line ? [line.object.kind] : [])));
    const lag = fc.integer({ min: 0, max: LAG_MS_MAX });
    const lags = fc.record(Object.fromEntries([...kinds].map((kind) => [kind, lag])));
    await fc.assert(
      fc.asyncProperty(lags, async (late) => {
        expect(await describeHistory(recording, late)).toEqual(truth);
      }),
      { numRuns: 5 },
    );
  },
  60_000,
);

/** Pods that ended, or got another label, before they were observed. */
const briefPods: Record<string, string> = {
  'rollouts/15-rollback-in-batch': 'Pod',
  'rollouts/24-back-and-forward': 'Pod',
};

test.each(recordingNames().filter((name) => name !== 'sandbox/month'))(
  'the watch of one kind may be 1.5 s late: in %s every rollout has its actor, and every pod its step',
  async (name) => {
    const recording = readRecording(name);
    const truth = await recordsOf(recording, {});
    const kinds = new Set(recording.lines.flatMap((line) => ('object' in line ? [line.object.kind] : [])));
    for (const kind of kinds) {
      const told = await recordsOf(recording, { [kind]: LAG_MS_MAX });
      expect(describeActors(told), kind).toEqual(describeActors(truth));
      if (briefPods[name] !== kind) expect(describeSteps(told), kind).toEqual(describeSteps(truth));
    }
  },
  60_000,
);

const SECOND = [2, 1, 2, 'kubectl-edit', 'second'];
const THIRD = [3, 2, 3, 'kubectl-set', 'third'];

test.each([
  [
    'sandbox/advanced-stateful-set',
    [[1, null, 1, 'shiplog', 'first'], SECOND, THIRD, [4, 3, 4, 'kubectl-patch', null]],
  ],
  [
    'sandbox/application',
    [[1, null, 1, 'shiplog', 'first'], SECOND, THIRD, [4, 3, 1, 'kubectl-patch', null]],
  ],
  [
    'sandbox/oam-two-deployments',
    [
      [1, null, 1, 'shiplog', 'to shop:1'],
      [1, null, 1, 'shiplog', 'to shop:2'],
    ],
  ],
  [
    'sandbox/oam-clone-set',
    [
      [1, null, 1, 'shiplog', 'first'],
      [2, 1, 2, 'kubectl-edit', 'second'],
    ],
  ],
] as const)('every rollout of %s is reported once, with who and why', async (name, wanted) => {
  const told = await recordsOf(readRecording(name), {});
  const ours = told.filter(({ cause, actor }) => cause !== null || actor?.name === 'kubectl-patch');
  expect(
    ours.map(({ activation, from, to, actor, cause }) => [
      activation,
      from?.number ?? null,
      to.number,
      actor?.name,
      cause,
    ]),
  ).toEqual(wanted);
});
