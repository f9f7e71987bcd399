import { expect, test } from 'vitest';
import { FINALIZER } from '@/lib/oam/next-move';
import { Play } from '@/lib/oam/testing/play';
import { CLAIM } from '@/lib/oam/workload';
import { type JsonObject } from '@/lib/kube/json';

const target = (name: string, kind = 'Deployment', apiVersion = 'apps/v1') => ({ apiVersion, kind, name });

function begin(plan: JsonObject = {}, spec: JsonObject = {}): Play {
  const play = new Play();
  play.deploy('a', 8, spec);
  play.deploy('b', 0, { paused: true });
  play.roll({
    targetRef: target('b'),
    sourceRef: [target('a')],
    rolloutPlan: { rolloutBatches: [{ replicas: 2 }, { replicas: '100%' }], ...plan },
  });
  return play;
}

/** Moves while no pod of the target becomes ready. */
function moveWithoutPods(play: Play, moves = 40): void {
  for (let made = 0; made < moves && play.rollout !== undefined; made += 1) {
    play.move();
    play.live('a');
    play.live('b', 0);
    play.nowMs += 5_000;
  }
}

const stateOf = (play: Play) => [play.status?.position?.rolling, play.status?.position?.batch];
const messageOf = (play: Play, type: string) =>
  play.status?.conditions.find((condition) => condition.type === type)?.message;

test('pods that never become ready cost the source nothing, and do not hold up a deletion', () => {
  const play = begin({ revertOnDelete: true });
  moveWithoutPods(play);
  expect(stateOf(play)).toEqual(['rollingInBatches', 'batchInRolling']);
  expect([play.size('a'), play.size('b')]).toEqual([8, 2]);
  expect(messageOf(play, 'RolloutInProgress')).toBe(
    'the batch 0 is not ready yet with 0 target pods ready and 8 source pods with 0 unavailable allowed',
  );
  play.delete();
  moveWithoutPods(play);
  expect(play.rollout).toBeUndefined();
  expect([play.size('a'), play.size('b')]).toEqual([8, 0]);
});

test('as many pods of a batch may be missing as it says', () => {
  const play = begin({
    rolloutBatches: [{ replicas: 4, maxUnavailable: '25%' }, { replicas: '100%' }],
    batchPartition: 0,
  });
  for (let made = 0; made < 40; made += 1) {
    play.move();
    play.live('a');
    play.live('b', made < 20 ? 1 : 0, 2);
  }
  play.until(() => play.status?.position?.batch === 'batchReady');
  expect([play.size('a'), play.size('b')]).toEqual([4, 4]);
});

test('a webhook that is gone holds up a rollout and no deletion of it', () => {
  const play = begin({ rolloutWebhooks: [{ type: 'finalize-rollout', name: 'gate', url: 'http://gate' }] });
  play.answers.set('gate', { is: 'refused', problem: 'it could not be reached' });
  play.until(() => play.status?.position?.rolling === 'finalising');
  for (let made = 0; made < 5; made += 1) play.move();
  expect(stateOf(play)[0]).toBe('finalising');
  expect(messageOf(play, 'RolloutFinalizing')).toBe(
    'failed to invoke a post rollout webhook: it could not be reached',
  );
  play.delete();
  play.until(() => play.rollout === undefined);
  expect(play.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined]);
});

test.for<[string, Play, string]>([
  [
    'is not settled',
    begin({}, { replicas: 9 }),
    'the source deployment a is still being reconciled, need to be paused or stable',
  ],
  [
    'has the template of the target',
    withTemplate('b:1'),
    'there is no difference between the source and target, hash = ',
  ],
])('a source that %s is not begun with', ([, play, message]) => {
  for (let made = 0; made < 5; made += 1) play.move();
  expect(stateOf(play)[0]).toBe('rolloutFailed');
  expect(messageOf(play, 'RolloutSpecVerifying')).toContain(message);
  expect(play.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined]);
});

test.for<[string, (metadata: JsonObject) => void, string]>([
  [
    'another Rollout rolls',
    (metadata) => Object.assign(metadata, { annotations: { [CLAIM]: 'other/uid-other' } }),
    'the target deployment b has a controller owner, the Rollout other',
  ],
  [
    'has a controller',
    (metadata) =>
      Object.assign(metadata, { ownerReferences: [{ kind: 'App', name: 'x', uid: 'x', controller: true }] }),
    'the target deployment b has a controller owner',
  ],
])('a workload that %s is not begun with', ([, edit, message]) => {
  const play = begin();
  edit(play.objects.get('b')?.metadata as never);
  play.until(() => play.status?.position?.rolling === 'rolloutFailed');
  expect(messageOf(play, 'RolloutSpecVerifying')).toBe(message);
});

test('a target of another group is none, though it is named alike', () => {
  const play = begin();
  play.editSpec({ targetRef: target('b', 'Deployment', 'extensions/v1beta1') });
  play.until(() => play.status?.position?.rolling === 'rolloutFailed');
  expect(messageOf(play, 'RolloutFailed')).toBe('Unsupported workload');
});

test('a target that is not there is waited for', () => {
  const play = begin();
  play.objects.delete('b');
  for (let made = 0; made < 5; made += 1) play.move();
  expect([stateOf(play)[0], messageOf(play, 'RolloutFailed')]).toEqual([
    'locatingTargetApp',
    'the Deployment b is not there',
  ]);
  play.deploy('b', 0, { paused: true });
  play.until(() => play.status?.position?.rolling === 'rolloutSucceed');
});

test('where the definition does not keep the status nothing is touched', () => {
  const play = begin();
  for (let made = 0; made < 20; made += 1) {
    play.move();
    const { run: _run, origin: _origin, ...kept } = play.rollout?.status ?? {};
    if (play.rollout !== undefined) play.rollout.status = kept;
  }
  expect(stateOf(play)[0]).toBe('rolloutFailed');
  expect([play.size('a'), play.size('b')]).toEqual([8, 0]);
  expect(messageOf(play, 'RolloutSpecVerifying')).toContain('apply the one that comes with it');
});

test('a Rollout that is deleted before it was looked at is let go', () => {
  const play = begin();
  play.move();
  expect(play.rollout?.metadata.finalizers).toEqual([FINALIZER]);
  play.delete();
  play.until(() => play.rollout === undefined);
  expect([play.size('a'), play.size('b')]).toEqual([8, 0]);
});

test('pods of a batch follow each other after its interval, each in its place before the next', () => {
  const play = begin({ rolloutBatches: [{ replicas: 3, instanceInterval: 30 }, { replicas: '100%' }] });
  play.editPlan({ batchPartition: 0 });
  const seen: number[][] = [];
  const beginMs = play.nowMs;
  play.until(
    () => play.status?.position?.batch === 'batchReady',
    () => {
      const sizes = [play.size('a'), play.size('b')];
      if (String(sizes) !== String(seen.at(-1))) seen.push(sizes);
    },
  );
  expect(seen).toEqual([
    [8, 0],
    [8, 1],
    [7, 1],
    [7, 2],
    [6, 2],
    [6, 3],
    [5, 3],
  ]);
  expect(play.nowMs - beginMs).toBeGreaterThanOrEqual(60_000);
});

test('what was half done is gone, and not just asked to go, before another target is begun with', () => {
  const play = begin({ rolloutBatches: [{ replicas: 4 }, { replicas: '100%' }] });
  play.deploy('c', 0, { paused: true });
  play.until(() => play.size('b') === 4);
  play.live('b', 0);
  play.editSpec({ targetRef: target('c') });
  for (let made = 0; made < 20; made += 1) play.move();
  expect([stateOf(play)[0], play.size('a'), play.size('b')]).toEqual(['rolloutAbandoning', 8, 0]);
  play.live('b');
  // Pods of the source that are not ready are no reason to stay with what was abandoned.
  const source = play.objects.get('a');
  if (source !== undefined) source.status = { ...source.status, readyReplicas: 7 };
  for (let made = 0; made < 20; made += 1) play.move();
  expect([stateOf(play)[0], play.size('c')]).toEqual(['rollingInBatches', 4]);
});

test('a revert takes no pod that serves before another serves in its place', () => {
  const play = begin({ revertOnDelete: true, batchPartition: 0 });
  play.until(() => play.status?.position?.batch === 'batchReady');
  play.delete();
  for (let made = 0; made < 20; made += 1) {
    play.move();
    play.live('a', 0);
    play.live('b');
  }
  expect([play.size('a'), play.size('b')]).toEqual([8, 2]);
  play.until(() => play.rollout === undefined);
  expect([play.size('a'), play.size('b')]).toEqual([8, 0]);
});

test.for(['batchInRolling', 'batchVerifying', 'batchFinalizing', 'batchReady'])(
  'batches that have begun and are changed behind the policy end the rollout in %s at once',
  (state) => {
    const play = begin({ batchPartition: 0 });
    play.until(() => play.status?.position?.batch === state);
    const sizes = [play.size('a'), play.size('b')];
    play.editPlan({ rolloutBatches: [{ replicas: 1 }, { replicas: 3 }, { replicas: '100%' }] });
    play.move();
    expect(stateOf(play)[0]).toBe('rolloutFailing');
    play.until(() => play.status?.position?.rolling === 'rolloutFailed');
    expect([play.size('a'), play.size('b')]).toEqual(sizes);
  },
);

test('a revert of decreasing first misses no more pods than the largest batch', () => {
  const rolloutBatches = [{ replicas: 2 }, { replicas: 2 }, { replicas: 2 }, { replicas: '100%' }];
  const play = begin({
    rolloutBatches,
    revertOnDelete: true,
    batchPartition: 2,
    rolloutStrategy: 'DecreaseFirst',
  });
  play.until(() => play.status?.position?.batch === 'batchReady' && play.status.currentBatch === 2);
  expect([play.size('a'), play.size('b')]).toEqual([2, 6]);
  play.delete();
  const sums: number[] = [];
  play.until(
    () => play.rollout === undefined,
    () => sums.push(play.size('a') + play.size('b')),
  );
  expect([Math.min(...sums), Math.max(...sums)]).toEqual([6, 8]);
  expect([play.size('a'), play.size('b')]).toEqual([8, 0]);
});

test('a claim that arrives when all is over is let go', () => {
  const play = begin();
  play.until(() => play.status?.position?.rolling === 'rolloutSucceed');
  const { metadata } = play.objects.get('b') ?? {};
  Object.assign(metadata ?? {}, { annotations: { [CLAIM]: 'web/uid-rollout' } });
  play.move();
  expect(play.workloads.map(({ claim }) => claim)).toEqual([undefined, undefined]);
});

test.for(['initializing', 'rollingInBatches'])('what another Rollout takes in %s is left to it', (state) => {
  const play = begin({ revertOnDelete: true });
  play.until(() => play.status?.position?.rolling === state);
  const theirs = { annotations: { [CLAIM]: 'other/uid-other' } };
  Object.assign(play.objects.get('b')?.metadata ?? {}, theirs);
  const before = play.objects.get('b')?.spec;
  play.until(() => play.status?.position?.rolling === 'rolloutFailed');
  play.delete();
  play.until(() => play.rollout === undefined);
  expect(play.workloads.map(({ claim }) => claim)).toEqual([undefined, 'other/uid-other']);
  expect(play.objects.get('b')?.spec).toBe(before);
});

function withTemplate(image: string): Play {
  return begin({}, { template: { spec: { containers: [{ name: 'app', image }] } } });
}
