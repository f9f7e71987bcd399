import { expect, test } from 'vitest';
import { recordingNames } from '@/test/replay/recording';
import { Replay } from '@/test/replay/replay';

/** A month takes too long with every tick of a recorder. */
const names = recordingNames().filter((name) => name !== 'sandbox/month');

test.each(names)('every workload and Rollout of %s can be shown at each mark', async (name) => {
  const replay = await Replay.start(name);
  const { cluster } = replay;
  for (const mark of replay.marks) {
    await replay.advanceToMark(mark);
    for (const { resource, name: workload } of cluster.cache.workloads()) {
      const { partial } = await replay.workload(resource, workload);
      expect(partial).toEqual([]);
    }
    for (const { resource, name: rollout } of cluster.rollouts.rollouts())
      expect(await replay.rollout(resource, rollout)).toMatchObject({ name: rollout });
  }
  await replay.advanceToEnd();
  expect((await replay.records(nameOfFirst(replay))).length).toBeGreaterThan(0);
});

function nameOfFirst({ cluster }: Replay): string {
  const [workload] = cluster.cache.workloads();
  return workload?.name ?? '';
}
