import { expect, test, vi } from 'vitest';
import { type JsonObject, parseJson } from '@/lib/kube/json';
import type { ClusterTransport } from '@/server/cluster/transport';
import type { Clock } from '@/server/shared/clock';
import { silentLogger } from '@/server/shared/log';
import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { startBackgroundActivity } from '@/sandbox/background-activity';

/** A cluster whose workloads all run that image. */
function clusterWith(image: string, log: string[], name: string) {
  const people = {
    json: ({ method, path, body }: { method: string; path: string; body?: string }) => {
      if (method === 'GET') return Promise.resolve(path.endsWith('/events') ? { items: [] } : running(image));
      const patch = parseJson(body ?? '');
      const [container] = listOrEmptyAt(patch, 'spec', 'template', 'spec', 'containers');
      log.push(`${name} ${textOrEmptyAt(container, 'image')}`);
      return Promise.resolve(patch);
    },
  };
  return { ...people, as: () => people } as unknown as ClusterTransport;
}

function running(image: string): JsonObject {
  return { spec: { template: { spec: { containers: [{ name: 'app', image }] } } } };
}

test('clusters get a version one after the other, and one that is behind what the cluster before it replaced', async () => {
  const log: string[] = [];
  let sleeps = 0;
  const clock: Clock = {
    now: () => 0,
    sleep: (_ms, signal) =>
      // The second activity is never reached.
      ++sleeps > 3
        ? new Promise((_resolve, reject) => {
            signal?.addEventListener('abort', () => reject(signal.reason as Error));
          })
        : Promise.resolve(),
  };
  const activity = startBackgroundActivity(
    [
      { people: clusterWith('app:1.4.7', log, 'staging'), isBehind: false },
      { people: clusterWith('app:1.4.6', log, 'prod-eu'), isBehind: false },
      { people: clusterWith('app:1.4.2', log, 'prod-us'), isBehind: true },
    ],
    silentLogger,
    clock,
    () => 0,
  );
  await vi.waitFor(() => expect(log).toHaveLength(3));
  expect(log).toEqual(['staging app:1.4.8', 'prod-eu app:1.4.8', 'prod-us app:1.4.6']);
  await activity.stop();
});
