import { expect, test } from 'vitest';
import type { RolloutRecord } from '@/lib/api/record';
import { Replay } from '@/test/replay/replay';

/** "1 → 2 completed: image 1 → 2, by kubectl-patch, since guest 2" */
function describeRecord({ from, to, outcome, summary, actor, cause }: RolloutRecord): string {
  const transition = `${from?.number ?? '–'} → ${to.number ?? '–'} ${outcome ?? 'in progress'}`;
  return `${transition}: ${summary}, by ${actor?.name ?? '–'}${cause === null ? '' : `, since ${cause}`}`;
}

async function describeRecordsOf(replay: Replay, name: string, kind = 'Rollout'): Promise<string[]> {
  return (await replay.records(name)).filter(({ workload }) => workload.kind === kind).map(describeRecord);
}

test('a canary is one record, although its ReplicaSet has the template in another form', async () => {
  const replay = await Replay.start('argo/18-canary-promote');
  const first = '– → 1 completed: starts with r.io/guest:1, by kubectl-client-side-apply, since guest 1';
  const second = 'image 1 → 2, by kubectl-patch, since guest 2';
  await replay.advanceToMark('created');
  expect(await describeRecordsOf(replay, 'guest')).toEqual([first]);
  await replay.advanceToMark('waits at step 2');
  expect(await describeRecordsOf(replay, 'guest')).toEqual([first, `1 → 2 in progress: ${second}`]);
  await replay.advanceToMark('2 is the stable revision');
  expect(await describeRecordsOf(replay, 'guest')).toEqual([first, `1 → 2 completed: ${second}`]);
  await replay.advanceToEnd();
  expect(await describeRecordsOf(replay, 'guest')).toEqual([
    first,
    `1 → 2 completed: ${second}`,
    '2 → 3 completed: image 2 → 3, by kubectl-patch',
  ]);
});

test('a blue-green rollout is one record, aborted or not', async () => {
  const replay = await Replay.start('argo/19-blue-green');
  await replay.advanceToMark('aborted');
  expect(await describeRecordsOf(replay, 'pay')).toEqual([
    '– → 1 completed: starts with r.io/pay:1, by kubectl-client-side-apply',
    '1 → 2 completed: image 1 → 2, by kubectl-patch, since pay 2',
    '2 → 3 failed: image 2 → 3, by kubectl-patch, since pay 3',
  ]);
});

test('an abort stays in the record with its reason after a retry', async () => {
  const replay = await Replay.start('argo/25-abort-retry-new-image');
  await replay.advanceToMark('waits at step 4');
  const [, second] = await replay.records('guest');
  expect(second?.outcome).toBe(null);
  expect(second?.spans.filter(({ kind }) => kind === 'stuck')).toMatchObject([
    {
      hasFailed: true,
      from: '2026-11-29T09:14:51Z',
      to: '2026-11-29T09:14:57.287Z',
      reason: 'Aborted: revision 1 is serving; the spec still requests revision 2.',
    },
  ]);
});

test('a rollout instead of a retry begins at the revision that serves', async () => {
  const replay = await Replay.start('argo/25-abort-retry-new-image');
  await replay.advanceToEnd();
  expect((await describeRecordsOf(replay, 'guest')).at(-1)).toBe(
    '1 → 3 completed: image 1 → 3, by kubectl-patch',
  );
});

test('a promoted blue-green rollout is over while its former pods wait for their scale-down', async () => {
  const replay = await Replay.start('argo/27-blue-green-scale-down-delay');
  const outcomes = async () =>
    (await replay.records('guest')).map(
      ({ from, to, outcome }) => `${from?.number} → ${to.number} ${outcome}`,
    );
  await replay.advanceTo(17_000);
  expect((await outcomes()).at(-1)).toBe('1 → 2 completed');
  await replay.advanceToEnd();
  expect(await outcomes()).toEqual([
    'undefined → 1 completed',
    '1 → 2 completed',
    '2 → 3 completed',
    '3 → 4 completed',
  ]);
});

test('the author of a Rollout that references a Deployment is the author of the Deployment', async () => {
  const replay = await Replay.start('argo/21-workload-ref');
  await replay.advanceToEnd();
  const both = [
    '– → 1 completed: starts with r.io/refd:1, by kubectl-client-side-apply',
    '1 → 2 completed: image 1 → 2, by kubectl-set',
    '2 → 3 completed: image 2 → 1, by kubectl-set',
  ];
  expect(await describeRecordsOf(replay, 'refd')).toEqual(both);
  // The pods are those of the Rollout.
  const without = both.map((text) => text.replace(/^(\d.*) completed/, '$1 noPods'));
  expect(await describeRecordsOf(replay, 'refd', 'Deployment')).toEqual(without);
});
