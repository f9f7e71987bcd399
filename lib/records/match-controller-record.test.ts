import { expect, test } from 'vitest';
import { summarizeRecord } from '@/lib/records/testing/summarize-record';
import type { RecordedProgressiveRollout } from '@/lib/api/record';
import { type ControllerRecordIdentity, isSameRollout } from '@/lib/records/match-controller-record';
import { minutesAgo, sampleRecord } from '@/test/record-samples';

const progressiveRollout: RecordedProgressiveRollout = {
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
/** Was in progress from 62 to 60 minutes ago. */
const record = summarizeRecord(sampleRecord('r1', { progressiveRollout }));

function history(given: Partial<ControllerRecordIdentity>): ControllerRecordIdentity {
  const theirs = { rollout: 'cart-ro', rolloutId: 'rel-1', content: null, ownRecord: null };
  return { ...theirs, createdAt: minutesAgo(61.5), ...given };
}

test.each<[string, Partial<ControllerRecordIdentity>, boolean]>([
  ['made while ours went on', {}, true],
  ['made before it, under an id that is used again', { createdAt: minutesAgo(80) }, false],
  ['a ghost, made when the next rollout began', { createdAt: minutesAgo(30) }, false],
  ['of another id', { rolloutId: 'rel-2' }, false],
  ['of another rollout', { rollout: 'shop-ro' }, false],
  [
    'without labels, as its content says',
    { rollout: null, rolloutId: null, content: named('cart-ro') },
    true,
  ],
  [
    'written by Shiplog from it',
    { rollout: null, rolloutId: null, ownRecord: 'r1', createdAt: minutesAgo(1) },
    true,
  ],
  ['written by Shiplog from another', { ownRecord: 'r2' }, false],
])('a record of the system that is %s', (_, given, isSame) => {
  expect(isSameRollout(record, history(given))).toBe(isSame);
});

test('for a progressive rollout in progress, or with an unobserved start, returns only what is known', () => {
  const open = { ...record, outcome: null, endedAt: null };
  expect(isSameRollout(open, history({ createdAt: minutesAgo(1) }))).toBe(true);
  const adopted = { ...record, startedAt: null, startedNotAfter: minutesAgo(61) };
  expect(isSameRollout(adopted, history({ createdAt: minutesAgo(80) }))).toBe(true);
  expect(isSameRollout(summarizeRecord(sampleRecord('r1')), history({}))).toBe(false);
});

function named(rollout: string): ControllerRecordIdentity['content'] {
  const rest = { workload: null, templateId: null, images: [], service: null, ingress: null };
  return { ...rest, rollout, rolloutId: 'rel-1', httpRoute: null, plannedSteps: null };
}
