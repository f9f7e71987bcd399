import { expect, test } from 'vitest';
import { readRecording, recordingNames, type Recording } from '@/test/replay/recording';
import { Replay } from '@/test/replay/replay';
import { replayInSandbox } from '@/test/replay/sandbox-replay';

type Exception = readonly [marks: readonly number[], object: string, facts: string, reason: string];

const NO_FINALIZERS = 'what people write into pods is in no recording: nobody removes the finalizers';
const ENDS_EARLIER = 'its pods start and end at once, so that the release ends three seconds earlier';

/** By recording; marks are counted from 1. */
const exceptions: Readonly<Record<string, readonly Exception[]>> = {
  'kubernetes/29-recreate-slow-end': [[[3, 4], 'deployments.apps web', 'state pods', NO_FINALIZERS]],
  'kubernetes/30-new-statefulset': [
    [[1], 'daemonsets.apps dd', 'state pods', 'the real pods were made half a second after the DaemonSet'],
  ],
  'rollouts/12-end-of-a-canary': [
    [[7], 'deployments.apps shop', 'state pods', ENDS_EARLIER],
    [[7, 8], 'progressive shop-ro', 'state', ENDS_EARLIER],
  ],
};

/** The one has a mark at its end alone, the other is as long as ten others. */
const LEFT_OUT = ['kubernetes/22-native', 'lws/33-surge-quick-changes'];
/** In motion the moments of single pods are not compared. */
const MOVING_STEPS = /starting|upgrading|routing/g;

const names = recordingNames().filter((name) => !name.startsWith('sandbox/') && !LEFT_OUT.includes(name));

test.each(names)(
  'given the changes of people in %s, the controllers of the sandbox lead to what the real ones led to, but for the exceptions',
  async (name) => {
    const recording = readRecording(name);
    const real = await readFacts(recording);
    const ours = await readFacts(await replayInSandbox(recording));
    const differences = Object.fromEntries(
      [...real]
        .filter(([key, value]) => ours.get(key) !== value)
        .map(([key, value]) => [key, `${value}, in the sandbox ${ours.get(key) ?? 'nothing'}`]),
    );
    const expected = (exceptions[name] ?? []).flatMap(([marks, object, facts]) =>
      marks.flatMap((mark) => facts.split(' ').map((fact) => `${mark} ${object} ${fact}`)),
    );
    expect(differences).toEqual(
      Object.fromEntries(expected.map((key) => [key, differences[key] ?? 'no difference any more'])),
    );
  },
  300_000,
);

/** What is said at each mark of each workload and progressive rollout: `2 deployments.apps shop state`. */
async function readFacts(recording: Recording): Promise<Map<string, string>> {
  const facts = new Map<string, string>();
  const replay = await Replay.start(recording);
  const { cluster } = replay;
  for (const [index, mark] of replay.marks.entries()) {
    await replay.advanceToMark(mark);
    const add = (object: string, fact: string, value: string) =>
      facts.set(`${index + 1} ${object} ${fact}`, value);
    for (const { resource, name } of cluster.cache.workloads()) {
      const status = replay.statusOf(resource, name);
      if (status === null) continue;
      const { desired, updated, ready } = status.pods;
      const isMoving = status.state === 'rolling';
      add(`${resource} ${name}`, 'state', status.state);
      add(
        `${resource} ${name}`,
        'pods',
        isMoving ? `of ${desired}` : `${updated} updated, ${ready} ready of ${desired}`,
      );
    }
    for (const { resource, name } of cluster.rollouts.rollouts()) {
      const rollout = replay.rolloutOf(resource, name);
      if (rollout === null) continue;
      const steps = rollout.steps.map(({ state }) => state.replace(MOVING_STEPS, 'current'));
      add(`progressive ${name}`, 'state', rollout.state);
      add(`progressive ${name}`, 'steps', steps.join(' '));
    }
  }
  return facts;
}
