import { setImmediate as nextTurn } from 'node:timers/promises';
import { count } from '@/bench/support/figure';
import type { Hostile } from '@/bench/hostile/environment';
import type { StreamKey } from '@/lib/api/cluster';
import { personAs } from '@/server/identity/testing/fixed-identity';
import { StreamHub } from '@/server/stream/hub';
import { viewerNamed } from '@/server/shared/testing/viewers';

const PEOPLE = 50;
const STREAMS_EACH = 12;
const CHANGES = 20;
const KEYS_EACH = 200;

export const streams: readonly Hostile[] = [
  {
    what: `${count(CHANGES)} changes of ${count(KEYS_EACH)} workloads sent to ${count(PEOPLE * STREAMS_EACH)} streams`,
    run: publishChanges,
  },
];

async function publishChanges(): Promise<void> {
  const hub = new StreamHub('bench');
  const received = Promise.all(
    Array.from({ length: PEOPLE * STREAMS_EACH }, (_, index) => listen(hub, index)),
  );
  for (let change = 0; change < CHANGES; change += 1) {
    hub.publish(keysOf(change));
    await nextTurn();
  }
  await received;
  hub.resync();
  hub.close();
}

/** Reads until every change has arrived. Each viewer can see half of the namespaces. */
async function listen(hub: StreamHub, index: number): Promise<void> {
  const user = `dev-${index % PEOPLE}`;
  const viewer = personAs(viewerNamed(user));
  const filterKeys = (keys: readonly StreamKey[]) =>
    Promise.resolve(keys.filter((_, at) => at % 2 === index % 2));
  const state = { event: 'state', data: {} };
  const reader = hub.open(viewer, filterKeys, null, state, new AbortController().signal).getReader();
  for (let chunks = 0; chunks < CHANGES + 1; chunks += 1) await reader.read();
}

function keysOf(change: number): StreamKey[] {
  return Array.from({ length: KEYS_EACH }, (_, index) => ({
    cluster: '6f2c4a1e-5b0d-4c36-9f5e-0c6f6e3f8a11',
    resource: 'deployments.apps',
    namespace: `team-${index % 40}`,
    name: `service-with-a-name-${change}-${index}`,
  }));
}
