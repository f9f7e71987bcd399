import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRouter } from '@/server/http/router';
import { severalClusters } from '@/server/http/testing/several-clusters';
import { signedOut } from '@/server/identity/identity';
import { personAs } from '@/server/identity/testing/fixed-identity';
import { viewerNamed } from '@/server/shared/testing/viewers';
import type { Person } from '@/server/shared/viewer';
import { StreamHub } from '@/server/stream/hub';

beforeEach(() => vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }));
afterEach(() => vi.useRealTimers());

/** How many streams are open after the session was checked; `later` is whose it is by then. */
async function openAfter(later: () => Person): Promise<number> {
  const { running } = await severalClusters(['staging']);
  const personOf = vi.fn(later).mockReturnValueOnce(withGroups('dev,sre'));
  const hub = new StreamHub('test');
  const edge = { ...running.edge, identity: { ...running.edge.identity, personOf } };
  const serve = createRouter(() => Promise.resolve({ ...running, hub, edge }));
  const headers = { host: 'localhost:8440' };
  await serve(new Request('http://localhost:8440/api/stream', { headers }));
  expect(hub.size).toBe(1);
  await vi.advanceTimersByTimeAsync(15_000);
  expect(personOf).toHaveBeenCalledTimes(2);
  const open = hub.size;
  hub.close();
  return open;
}

const withGroups = (accessKey: string): Person => ({ ...personAs(viewerNamed('ana')), accessKey });

test('a stream ends when its person has other groups than before, or is signed out', async () => {
  expect(await openAfter(() => withGroups('dev,sre'))).toBe(1);
  expect(await openAfter(() => withGroups('dev'))).toBe(0);
  const refuse = () => {
    throw signedOut('Sign in.');
  };
  expect(await openAfter(refuse)).toBe(0);
});
