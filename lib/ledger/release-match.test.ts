import { expect, test } from 'vitest';
import { markOfRecord } from '@/lib/ledger/mark';
import { type RecordedRelease } from '@/lib/ledger/record';
import { type HistoryMark, isSameRelease } from '@/lib/ledger/release-match';
import { ago, sampleRecord } from '@/test/ledger';

const release: RecordedRelease = {
  ...{
    system: 'openkruise',
    resource: 'rollouts.rollouts.kruise.io',
    name: 'cart-ro',
    uid: 'ro',
    id: 'rel-1',
  },
  ...{ style: 'canary', routes: [], plan: [], planEditedAt: null, jumps: [], result: 'completed' },
  unassigned: [],
};
/** Went on from 62 to 60 minutes ago. */
const record = markOfRecord(sampleRecord('r1', { release }));

function history(given: Partial<HistoryMark>): HistoryMark {
  const theirs = { rollout: 'cart-ro', releaseId: 'rel-1', content: null, ownRecord: null };
  return { ...theirs, createdAt: ago(61.5), ...given };
}

test.each<[string, Partial<HistoryMark>, boolean]>([
  ['made while ours went on', {}, true],
  ['made before it, under an id that is used again', { createdAt: ago(80) }, false],
  ['a ghost, made when the next release began', { createdAt: ago(30) }, false],
  ['of another id', { releaseId: 'rel-2' }, false],
  ['of another rollout', { rollout: 'shop-ro' }, false],
  [
    'without labels, as its content says',
    { rollout: null, releaseId: null, content: named('cart-ro') },
    true,
  ],
  [
    'written by Shiplog from it',
    { rollout: null, releaseId: null, ownRecord: 'r1', createdAt: ago(1) },
    true,
  ],
  ['written by Shiplog from another', { ownRecord: 'r2' }, false],
])('a record of the system that is %s', (_, given, isSame) => {
  expect(isSameRelease(record, history(given))).toBe(isSame);
});

test('of a release that still goes on, or whose start nobody saw, as much is said as is known', () => {
  const open = { ...record, outcome: null, endedAt: null };
  expect(isSameRelease(open, history({ createdAt: ago(1) }))).toBe(true);
  const adopted = { ...record, startedAt: null, startedNotAfter: ago(61) };
  expect(isSameRelease(adopted, history({ createdAt: ago(80) }))).toBe(true);
  expect(isSameRelease(markOfRecord(sampleRecord('r1')), history({}))).toBe(false);
});

function named(rollout: string): HistoryMark['content'] {
  const rest = { workload: null, templateId: null, images: [], service: null, ingress: null };
  return { ...rest, rollout, releaseId: 'rel-1', httpRoute: null, plannedSteps: null };
}
