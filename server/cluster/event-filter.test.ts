import { beforeEach, expect, test } from 'vitest';
import type { KubeObject } from '@/lib/kube/object';
import { EventFilter } from '@/server/cluster/event-filter';
import { ingestEvent, type IngestedEvent } from '@/server/cluster/ingest-event';

const there = new Set<string>();
let intake: EventFilter;

beforeEach(() => {
  there.clear();
  intake = new EventFilter({
    addEvent: ({ uid }) => void there.add(uid),
    removeEvent: ({ uid }) => void there.delete(uid),
  });
});

const about = (uid: string, kind: string, apiVersion: string) =>
  ingestEvent({
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: uid, uid, resourceVersion: '1', creationTimestamp: '2026-08-01T12:00:00Z' },
    involvedObject: { kind, apiVersion, name: 'a', uid: 'of-a' },
    reason: 'Scaled',
  } as KubeObject);

const come = (value: IngestedEvent) => intake.change({ type: 'added', value });
const go = (value: IngestedEvent) => intake.change({ type: 'deleted', value, previous: value });
const fleet = { kind: 'Fleet', group: 'example.com' };

test('passes on events about followed objects, earlier ones too', () => {
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

test('never passes on an event that was deleted meanwhile, and bounds the waiting ones', () => {
  const gone = about('gone', 'Fleet', 'example.com/v1');
  come(gone);
  go(gone);
  for (let number = 0; number <= 2_000; number += 1) come(about(`e${number}`, 'Fleet', 'example.com/v1'));
  intake.follow(fleet);
  expect(there.size).toBe(2_000);
  expect([there.has('gone'), there.has('e0'), there.has('e1')]).toEqual([false, false, true]);
});

test('drops events about kinds of Kubernetes itself that no page shows', () => {
  expect(about('node', 'Node', 'v1')).toBeNull();
  expect(about('job', 'Job', 'batch/v1')).toBeNull();
  expect(about('lease', 'Lease', 'coordination.k8s.io/v1')).toBeNull();
  expect(about('set', 'RoleBasedGroup', 'workloads.x-k8s.io/v1alpha1')).not.toBeNull();
});
