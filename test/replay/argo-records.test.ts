import { expect, test } from 'vitest';
import { type RolloutRecord } from '@/lib/ledger/record';
import { Replay } from '@/test/replay/replay';

/** "1 → 2 completed: image 1 → 2, by kubectl-patch, since guest 2" */
function told({ from, to, outcome, summary, actor, cause }: RolloutRecord): string {
  const way = `${from?.number ?? '–'} → ${to.number ?? '–'} ${outcome ?? 'in progress'}`;
  return `${way}: ${summary}, by ${actor?.name ?? '–'}${cause === null ? '' : `, since ${cause}`}`;
}

async function toldOf(play: Replay, name: string, kind = 'Rollout'): Promise<string[]> {
  return (await play.records(name)).filter(({ workload }) => workload.kind === kind).map(told);
}

test('a canary is one record, although its ReplicaSet has the template in another form', async () => {
  const play = await Replay.begin('argo/18-canary-promote');
  const first = '– → 1 completed: starts with r.io/guest:1, by kubectl-client-side-apply, since guest 1';
  const second = 'image 1 → 2, by kubectl-patch, since guest 2';
  await play.toMark('created');
  expect(await toldOf(play, 'guest')).toEqual([first]);
  await play.toMark('waits at step 2');
  expect(await toldOf(play, 'guest')).toEqual([first, `1 → 2 in progress: ${second}`]);
  await play.toMark('2 is the stable revision');
  expect(await toldOf(play, 'guest')).toEqual([first, `1 → 2 completed: ${second}`]);
  await play.toEnd();
  expect(await toldOf(play, 'guest')).toEqual([
    first,
    `1 → 2 completed: ${second}`,
    '2 → 3 completed: image 2 → 3, by kubectl-patch',
  ]);
});

test('a blue-green release is one record, aborted or not', async () => {
  const play = await Replay.begin('argo/19-blue-green');
  await play.toMark('aborted');
  expect(await toldOf(play, 'pay')).toEqual([
    '– → 1 completed: starts with r.io/pay:1, by kubectl-client-side-apply',
    '1 → 2 completed: image 1 → 2, by kubectl-patch, since pay 2',
    '2 → 3 failed: image 2 → 3, by kubectl-patch, since pay 3',
  ]);
});

test('a Rollout of a template that stands in a Deployment is changed by who changes the Deployment', async () => {
  const play = await Replay.begin('argo/21-workload-ref');
  await play.toEnd();
  const both = [
    '– → 1 completed: starts with r.io/refd:1, by kubectl-client-side-apply',
    '1 → 2 completed: image 1 → 2, by kubectl-set',
    '2 → 3 completed: image 2 → 1, by kubectl-set',
  ];
  expect(await toldOf(play, 'refd')).toEqual(both);
  expect(await toldOf(play, 'refd', 'Deployment')).toEqual(both);
});
