import { beforeEach, describe, expect, test } from 'vitest';
import { template, WORKLOAD_UID } from '@/lib/workloads/testing/objects';
import { openShop } from '@/server/actions/testing/shop';
import { sampleRecord } from '@/test/record-samples';
import { TestArchive } from '@/server/archive/testing/test-archive';

let shop: ReturnType<typeof openShop>;
let archive: TestArchive;

beforeEach(async () => {
  shop = openShop();
  archive = await TestArchive.open();
  const ref = (number: number) => ({ number, id: `uid-checkout-${number}`, hash: `hash-${number}` });
  const { workload } = sampleRecord('any');
  for (const number of [1, 2, 3]) {
    await archive.putBodies({ [`hash-${number}`]: template(String(number)) });
    await archive.put([
      sampleRecord(`record-${number}`, {
        workload: { ...workload, uid: WORKLOAD_UID },
        activation: number,
        from: number === 1 ? null : ref(number - 1),
        to: ref(number),
        cause: `why ${number}`,
      }),
    ]);
  }
  shop.archive = archive;
});

describe('the preview of a rollback', () => {
  test('names the rollouts that it reverts, and their reasons', async () => {
    const { diff } = await shop.rollback({ to: 2, dryRun: true });
    expect(diff?.reverts?.sentence).toBe('Reverts revision 3 (“why 3”)');
    expect(diff?.changes[0]?.echo).toMatchObject({ kind: 'reverts', rollout: { id: 'record-3' } });
    const further = await shop.rollback({ to: 1, dryRun: true });
    expect(further.diff?.reverts?.sentence).toBe('Reverts revision 2 (“why 2”) and 1 later rollout');
    expect(further.diff?.changes[0]?.echo).toMatchObject({ kind: 'returns', rollout: { id: 'record-2' } });
  });

  test('is the same without them where the archive fails, and so is the rollback', async () => {
    archive.rollouts.summaries = () => Promise.reject(new TypeError('a mistake of ours'));
    const { diff } = await shop.rollback({ to: 2, dryRun: true });
    expect(diff).toMatchObject({ equal: false, reverts: null, changes: [{ echo: null }] });
    expect((await shop.rollback({ to: 2 })).applied).toBe(true);
  });
});
