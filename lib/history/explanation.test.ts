import { describe, expect, test } from 'vitest';
import type { Activation } from '@/lib/api/revisions';
import { explainControllerRevision, explainReplicaSet, nothingKnown } from '@/lib/history/explanation';
import type { RevisionSource } from '@/lib/history/workload';

const bounded: Activation = {
  ...{ number: 6, from: null, fromNotBefore: null, to: null, open: true },
  fromNotAfter: '2026-11-22T12:03:00Z',
};
const source = (formerNumbers: number[]) =>
  ({
    ...{ formerNumbers, createdAt: '2026-11-21T08:00:00Z' },
    number: { kind: 'number', value: 6 },
  }) as unknown as RevisionSource;

describe.each([
  {
    ...{ explain: explainReplicaSet, former: [], isReactivated: true },
    alone: /^Reused by a rollback and renumbered to 6: it is older/,
    recorded: /^Put back as 6 by argocd-controller: it is older/,
  },
  {
    ...{ explain: explainReplicaSet, former: [3], isReactivated: true },
    alone: /^Formerly revision 3; renumbered to 6 by a rollback at 2026-11-22 12:03:00 UTC or earlier\.$/,
    recorded: /^Formerly revision 3; put back as 6 by argocd-controller at 2026-11-22 11:41:00 UTC\.$/,
  },
  {
    ...{ explain: explainReplicaSet, former: [2, 4], isReactivated: true },
    alone: /and then 6 by rollbacks, the last at 2026-11-22 12:03:00 UTC or earlier\.$/,
    recorded: /by rollbacks, the last put back by argocd-controller at 2026-11-22 11:41:00 UTC\.$/,
  },
  {
    ...{ explain: explainControllerRevision, former: [], isReactivated: true },
    alone:
      /^An earlier revision, renumbered to 6 by a rollback at 2026-11-22 12:03:00 UTC or earlier\. First/,
    recorded: /^An earlier revision, put back as 6 by argocd-controller at 2026-11-22 11:41:00 UTC\. First/,
  },
  {
    ...{ explain: explainControllerRevision, former: [], isReactivated: false },
    alone: /was written later \(by 2026-11-22 12:03:00 UTC\): it was probably reused by a rollback\.$/,
    recorded: /\(at 2026-11-22 11:41:00 UTC\): it was probably put back by argocd-controller\.$/,
  },
])('the sentence on a number that was written again', ({ explain, former, isReactivated, ...expected }) => {
  const facts = { source: source(former), activation: bounded, isReactivated };

  test('has the bound that the cluster proves, and claims a rollback', () => {
    expect(explain({ ...facts, ...nothingKnown })).toMatch(expected.alone);
  });

  test('names the time of the record, and the owner that wrote the template', () => {
    const known = { from: '2026-11-22T11:41:00Z', by: 'argocd-controller' };
    expect(explain({ ...facts, ...known })).toMatch(expected.recorded);
  });
});
