import { beforeEach, expect, test } from 'vitest';
import { type KubeObject } from '@/lib/kube/object';
import { EventIntake } from '@/server/cluster/event-intake';
import { eventSummaryOf, type EventHolder } from '@/server/cluster/event-summary';

const there = new Set<string>();
let intake: EventIntake;

beforeEach(() => {
  there.clear();
  intake = new EventIntake({
    addEvent: ({ uid }) => void there.add(uid),
    removeEvent: ({ uid }) => void there.delete(uid),
  });
});

const about = (uid: string, kind: string, apiVersion: string) =>
  eventSummaryOf({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: uid, uid, resourceVersion: '1', creationTimestamp: '2026-08-01T12:00:00Z' },
    involvedObject: { kind, apiVersion, name: 'a', uid: 'of-a' },
    reason: 'Scaled',
  } as KubeObject);

const come = (value: EventHolder) => intake.change({ type: 'added', value });
const go = (value: EventHolder) => intake.change({ type: 'deleted', value, previous: value });
const fleet = { kind: 'Fleet', group: 'example.com' };

test('events about what is followed are passed on, those that came before it was followed too', () => {
  come(about('pod', 'Pod', 'v1'));
  come(about('early', 'Fleet', 'example.com/v1'));
  come(about('namesake', 'Fleet', 'example.org/v1'));
  expect([...there]).toEqual(['pod']);
  intake.follow(fleet);
  come(about('late', 'Fleet', 'example.com/v2'));
  expect([...there]).toEqual(['pod', 'early', 'late']);
  intake.unfollow(fleet);
  come(about('after', 'Fleet', 'example.com/v1'));
  go(about('early', 'Fleet', 'example.com/v1'));
  expect([...there]).toEqual(['pod', 'late']);
});

test('an event that has gone meanwhile is not passed on, and only so many wait', () => {
  const gone = about('gone', 'Fleet', 'example.com/v1');
  come(gone);
  go(gone);
  for (let number = 0; number <= 2_000; number += 1) come(about(`e${number}`, 'Fleet', 'example.com/v1'));
  intake.follow(fleet);
  expect(there.size).toBe(2_000);
  expect([there.has('gone'), there.has('e0'), there.has('e1')]).toEqual([false, false, true]);
});

test('kinds of Kubernetes itself that no page shows are not kept at all', () => {
  expect(about('node', 'Node', 'v1')).toBeNull();
  expect(about('job', 'Job', 'batch/v1')).toBeNull();
  expect(about('lease', 'Lease', 'coordination.k8s.io/v1')).toBeNull();
  expect(about('set', 'RoleBasedGroup', 'workloads.x-k8s.io/v1alpha1')).not.toBeNull();
});
