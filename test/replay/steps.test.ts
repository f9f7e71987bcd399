import { expect, test } from 'vitest';
import type { RolloutRecord, RecordedStep } from '@/lib/api/record';
import { Replay } from '@/test/replay/replay';

const stepOf = ({ name, state, pods, more = 0 }: RecordedStep): string =>
  `${name} ${state} ${pods.length}${more > 0 ? `+${more}` : ''}`;

/** "2 completed: Step 1 completed 1, Step 2 skipped 0; 5 besides" */
function describeRecord({ to, outcome, steps, progressiveRollout: known }: RolloutRecord): string {
  const besides = known === null ? '' : `; ${known.unassigned.length} besides`;
  return `${to.number} ${outcome}: ${steps.map(stepOf).join(', ')}${besides}`;
}

test.each([
  [
    'lws/01-image-change',
    'llama',
    '1 completed: Wave 1 completed 12',
    '2 completed: Wave 1 completed 3, Wave 2 completed 3, Wave 3 completed 3, Wave 4 completed 3',
  ],
  [
    'lws/03-worker-crash',
    'qwen',
    '1 completed: Wave 1 completed 4',
    '2 superseded: Wave 1 abandoned 2+84',
    '3 completed: Wave 1 completed 2, Wave 2 completed 2',
  ],
  [
    'lws/06-leader-ready',
    'qwen',
    '1 completed: Wave 1 completed 6',
    '2 completed: Wave 1 completed 3, Wave 2 completed 3',
  ],
  [
    'kruise/07-in-place-and-back',
    'cart',
    '1 completed: Wave 1 completed 5',
    '2 completed: Wave 1 completed 5',
    '3 completed: Wave 1 completed 5',
    '4 completed: Partition 3 completed 2, Partition 0 completed 3',
  ],
  [
    'kruise/10-daemonset-partition',
    'agent',
    '1 completed: Wave 1 completed 3',
    '2 completed: Partition 2 completed 1, Partition 0 completed 2',
    '3 completed: Wave 1 completed 1, Wave 2 completed 1, Wave 3 completed 1',
  ],
  [
    'rollouts/11-canary-broken-then-approved',
    'shop',
    '1 completed: Wave 1 completed 5',
    'null superseded: Step 1 abandoned 1, Step 2 skipped 0, Step 3 skipped 0; 0 besides',
    '2 completed: Step 1 completed 1, Step 2 completed 2, Step 3 completed 1; 5 besides',
  ],
  [
    'rollouts/12-end-of-a-canary',
    'shop',
    '1 completed: Wave 1 completed 5',
    '2 completed: Step 1 completed 1, Step 2 completed 4; 5 besides',
  ],
  [
    'rollouts/14-jump',
    'shop',
    '1 completed: Wave 1 completed 5',
    '2 completed: Step 1 completed 1, Step 2 skipped 0, Step 3 completed 4; 5 besides',
  ],
  [
    'rollouts/15-rollback-in-batch',
    'cart',
    '1 completed: Wave 1 completed 5',
    '2 rolledBack: Step 1 completed 1, Step 2 abandoned 2, Step 3 skipped 0; 0 besides',
    '3 completed: Step 1 completed 1, Step 2 completed 1, Step 3 completed 1; 0 besides',
  ],
  [
    'rollouts/16-native-daemonset',
    'nodelog',
    '1 completed: Wave 1 completed 3',
    '2 completed: Step 1 completed 1, Step 2 completed 1; 1 besides',
    '3 rolledBack: Step 1 abandoned 1, Step 2 skipped 0; 0 besides',
    '4 completed: Step 1 completed 0, Step 2 completed 0; 1 besides',
  ],
  [
    'rollouts/17-disable-enable',
    'shop',
    '1 completed: Wave 1 completed 5',
    '2 completed: Step 1 abandoned 1, Step 2 skipped 0, Step 3 skipped 0; 5 besides',
    'null null: Step 1 running 1, Step 2 planned 0, Step 3 planned 0; 0 besides',
  ],
  [
    'argo/18-canary-promote',
    'guest',
    '1 completed: Wave 1 completed 5',
    '2 completed: Step 1 completed 1, Step 2 completed 0, Step 3 completed 2, Step 4 completed 0; 2 besides',
    '3 completed: Step 1 completed 1, Step 2 completed 0, Step 3 skipped 0, Step 4 skipped 0; 4 besides',
  ],
])('the records of %s have the steps that there were, with their pods', async (name, workload, ...wanted) => {
  const replay = await Replay.start(name);
  await replay.advanceToEnd();
  const records = (await replay.records(workload)).filter(({ steps }) => steps.length > 0);
  expect(records.map(describeRecord)).toEqual(wanted);
});

test('a partition of groups moves in three steps, and the surplus group belongs to none of them', async () => {
  const replay = await Replay.start('lws/02-partition-with-surge');
  await replay.advanceToEnd();
  const [, record] = await replay.records('llama');
  expect(record?.steps.map(({ name }) => name)).toEqual(['Partition 3', 'Partition 1', 'Partition 0']);
  const groups = record?.steps.map(({ pods }) => [...new Set(pods.map(({ group }) => group))].sort());
  expect(groups).toEqual([['3'], ['1', '2'], ['0']]);
  expect(record?.steps.map(({ state }) => state)).toEqual(['completed', 'completed', 'completed']);
});

test('the pods of a blue-green rollout belong to its step', async () => {
  const replay = await Replay.start('argo/19-blue-green');
  await replay.advanceToMark('2 serves');
  const record = (await replay.records('pay')).findLast((each) => each.progressiveRollout !== null);
  expect(record?.steps.map(stepOf)).toEqual(['Step 1 completed 3']);
});

test.each([
  ['lws/01-image-change', 'llama'],
  ['lws/02-partition-with-surge', 'llama'],
  ['lws/03-worker-crash', 'qwen'],
  ['lws/04-cause-before-image', 'qwen'],
  ['kruise/07-in-place-and-back', 'cart'],
  ['kruise/08-failed-update-left-behind', 'cart'],
  ['rollouts/15-rollback-in-batch', 'cart'],
  ['rollouts/17-disable-enable', 'shop'],
  ['argo/18-canary-promote', 'guest'],
  ['argo/21-workload-ref', 'refd'],
])('in %s no record ends before its steps, and no pod is in two of them', async (name, workload) => {
  const replay = await Replay.start(name);
  await replay.advanceToEnd();
  for (const { steps, progressiveRollout: known, endedAt } of await replay.records(workload)) {
    const uids = [...steps.flatMap(({ pods }) => pods), ...(known?.unassigned ?? [])].map(({ uid }) => uid);
    expect(new Set(uids).size).toBe(uids.length);
    expect(steps.map(({ index }) => index)).toEqual(steps.map((_, at) => at + 1));
    for (const step of steps)
      if (endedAt !== null)
        expect(Date.parse(step.endedAt ?? '1970')).toBeLessThanOrEqual(Date.parse(endedAt));
  }
});

test('a partition in percent is one step however the workload is scaled, and each wait is a period of its own', async () => {
  const replay = await Replay.start('kruise/37-percent-partition-and-scale');
  await replay.advanceToEnd();
  const [, record] = await replay.records('cart');
  expect(record?.steps.map(({ name, planned }) => `${name}: ${planned}`)).toEqual([
    'Partition 60%: 1 of 4 pods',
    'Partition 0: 4 of 4 pods',
  ]);
  const second = (time: string | null) => (time === null ? '' : time.slice(14, 19));
  expect(record?.spans.map(({ waitsFor, from, to }) => `${waitsFor} ${second(from)}-${second(to)}`)).toEqual([
    'undefined 40:36-40:44',
    'undefined 40:44-40:52',
    'undefined 40:52-41:01',
    'resume 41:01-41:05',
  ]);
});
