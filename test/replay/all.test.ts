import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Replay } from '@/test/replay/replay';

const folder = join(import.meta.dirname, 'recordings');
const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.jsonl'))
  .map((name) => name.replace('.jsonl', ''));

test.each(names)('every workload and Rollout of %s can be shown at each mark', async (name) => {
  const play = await Replay.begin(name);
  const { cluster } = play;
  for (const mark of play.marks) {
    await play.toMark(mark);
    for (const { resource, name: workload } of cluster.cache.workloads()) {
      const { partial } = await play.workload(resource, workload);
      expect(partial).toEqual([]);
    }
    for (const { resource, name: rollout } of cluster.rollouts.rollouts())
      expect(await play.rollout(resource, rollout)).toMatchObject({ name: rollout });
  }
  await play.toEnd();
  expect((await play.records(nameOfFirst(play))).length).toBeGreaterThan(0);
});

function nameOfFirst({ cluster }: Replay): string {
  const [workload] = cluster.cache.workloads();
  return workload?.name ?? '';
}
