import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadCredentials } from '@/server/cluster/credentials';
import { makeFolder } from '@/server/cluster/testing/kubeconfig-file';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { createTransport } from '@/server/cluster/transport';
import { Leader } from '@/server/controllers/leader';
import { silentLogger } from '@/server/shared/log';
import { TestApi } from '@/sandbox/api/testing/api-client';

async function begin() {
  const api = await TestApi.start();
  const folder = makeFolder();
  const file = join(folder.path, 'kubeconfig');
  writeFileSync(file, api.api.kubeconfig('admin'));
  const transport = createTransport({
    credentials: loadCredentials({ kind: 'kubeconfig', files: [file] }),
    readOnly: false,
  });
  onTestFinished(async () => {
    await transport.close();
    folder.remove();
  });
  const leader = (holder: string, clock: VirtualClock) =>
    new Leader({ transport, namespace: 'default', name: 'lead', holder, clock, log: silentLogger });
  const lease = async () => {
    const { body } = await api.get('/apis/coordination.k8s.io/v1/namespaces/default/leases/lead');
    return body.spec as { holderIdentity: string; leaseTransitions: number };
  };
  return { leader, lease };
}

test('one leads, and another follows when it has been silent for the full duration', async () => {
  const { leader, lease } = await begin();
  const clock = new VirtualClock();
  const [first, second] = [leader('a', clock), leader('b', clock)];
  await first.renew();
  await second.renew();
  expect([first.isHeld, second.isHeld]).toEqual([true, false]);

  await clock.advance(9_000);
  await first.renew();
  await second.renew();
  expect([first.isHeld, second.isHeld]).toEqual([true, false]);

  // Before another process may take the lease, the first one has stopped by itself.
  await clock.advance(10_000);
  await second.renew();
  expect([first.isHeld, second.isHeld]).toEqual([false, false]);
  await clock.advance(5_000);
  await second.renew();
  expect([first.isHeld, second.isHeld]).toEqual([false, true]);
  expect(await lease()).toMatchObject({ holderIdentity: 'b', leaseTransitions: 1 });
  await first.renew();
  expect(first.isHeld).toBe(false);
});

test('each reports the leader, as far as it knows', async () => {
  const { leader } = await begin();
  const clock = new VirtualClock();
  const [first, second] = [leader('a', clock), leader('b', clock)];
  expect(first.state.state).toBe('starting');
  const since = clock.now();
  await first.renew();
  await second.renew();
  expect(first.state).toMatchObject({ state: 'leading', holder: 'a', since });
  expect(second.state).toMatchObject({ state: 'standby', holder: 'a' });
  await clock.advance(5_000);
  await first.renew();
  expect(first.state.since).toBe(since);
  // Stalled for longer than its time, it does not claim to lead.
  await clock.advance(10_000);
  expect(first.state).toMatchObject({ state: 'unknown', since: since + 15_000, holder: undefined });
});

test('reports why it cannot reach the lease', async () => {
  const transport = { json: () => Promise.reject(new Error('forbidden')) };
  const options = { transport, namespace: 'default', name: 'lead', holder: 'a', log: silentLogger };
  const leader = new Leader({ ...options, clock: new VirtualClock() });
  await leader.renew();
  expect(leader.state).toMatchObject({ state: 'unknown', problem: 'Error: forbidden' });
});

test('clocks that disagree never make two leaders', async () => {
  const { leader } = await begin();
  const [early, late] = [new VirtualClock(), new VirtualClock()];
  await late.advance(3_600_000);
  const [first, second] = [leader('a', early), leader('b', late)];
  await first.renew();
  await second.renew();
  expect([first.isHeld, second.isHeld]).toEqual([true, false]);
});

test('releases the lease at once when it stops', async () => {
  const { leader } = await begin();
  const clock = new VirtualClock();
  const [first, second] = [leader('a', clock), leader('b', clock)];
  await first.renew();
  await first.stop();
  await second.renew();
  expect([first.isHeld, second.isHeld]).toEqual([false, true]);
});
