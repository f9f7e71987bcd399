import { expect, test } from 'vitest';
import type { Answer } from '@/lib/api/common';
import type { workloadItemSchema } from '@/lib/api/workloads';
import type { RecordSummary } from '@/lib/api/record-summary';
import { Keys } from '@/server/shared/keys';
import { withRecord } from '@/server/views/last-rollout';

const keys = new Keys(Buffer.alloc(32, 7));
const written = { manager: 'kubectl-set', operation: 'Update', time: '2026-01-01T12:00:00Z' };
/** A Deployment in the middle of a canary: no revision records its desired template. */
const item = {
  targetId: null,
  targetRevision: null,
  lastRollout: {
    from: null,
    to: null,
    startedAt: written.time,
    notAfter: null,
    writer: written,
    changeCause: null,
    restart: false,
    record: null,
  },
} as unknown as Answer<typeof workloadItemSchema>;

const mark = (to: Partial<RecordSummary['to']>, outcome: RecordSummary['outcome']): RecordSummary => ({
  ...{ id: 'record', activation: 2, others: [], uid: 'uid', revertedBy: null, verdict: null },
  ...{ progressiveRollout: null, desiredPods: 3, steps: [] },
  from: { number: 1, id: 'one', hash: 'a' },
  to: { number: null, id: null, hash: 'b', ...to },
  ...{ startedAt: written.time, startedNotAfter: null, endedAt: null, outcome },
  ...{ actor: null, cause: 'shop 1.1', summary: 'image 1.0 → 1.1', restart: false },
});

test('a row in the middle of a canary shows the rollout whose target no revision records yet', () => {
  const { lastRollout } = withRecord(item, mark({}, null), keys.mask);
  expect(lastRollout).toMatchObject({ from: 1, to: null, record: { id: 'record', cause: 'shop 1.1' } });
});

test.each([
  ['that is over', mark({}, 'superseded')],
  ['that led to a revision', mark({ id: 'two', number: 2 }, null)],
])('a row in the middle of a canary shows no rollout %s', (_, over) => {
  expect(withRecord(item, over, keys.mask)).toBe(item);
});
