import { expect, test } from 'vitest';
import { OlderArchive } from '@/test/replay/older-archive';
import { Replay } from '@/test/replay/replay';

const CANARY = 'argo/18-canary-promote';
const BROKEN = 'rollouts/11-canary-broken-then-approved';

test.each([
  ['an Argo rollout that goes on', CANARY, 'waits at step 2', 'argo-open', 'guest'],
  ['an Argo rollout that is over', CANARY, '2 is the stable', 'argo-closed', 'guest'],
  ['a canary that no revision records yet', BROKEN, 'step 1 cannot start', 'deployment-open', 'shop'],
])('an archive of a former version is used as it is: %s', async (_, recording, mark, name, workload) => {
  const older = new OlderArchive(name);
  const replay = await Replay.startWithArchive(recording, mark, (archive) => older.fill(archive));
  await replay.passTime(2_000);
  const keys = (record: (typeof older.records)[number]) => {
    const { id, activation, from, to, startedAt, endedAt, outcome, cause, actor, summary } = record;
    return {
      id,
      activation,
      from: from?.id,
      to: [to.number, to.id, to.hash],
      startedAt,
      endedAt,
      outcome,
      cause,
      // An open one may still get an actor.
      actor: outcome === null ? undefined : actor,
      summary,
    };
  };
  expect((await replay.records(workload)).map(keys)).toEqual(older.records.map(keys));
});

test('a rollout whose start a former version observed is one record to its end', async () => {
  const older = new OlderArchive('argo-begun');
  const replay = await Replay.startWithArchive(CANARY, 'waits at step 2', (archive) => older.fill(archive));
  await replay.advanceToMark('2 is the stable');
  const records = await replay.records('guest');
  expect(records.map(({ id }) => id)).toEqual(older.records.map(({ id }) => id));
  expect(records.at(-1)).toMatchObject({
    from: { number: 1 },
    to: { number: 2 },
    outcome: 'completed',
    summary: 'image 1 → 2',
  });
});
