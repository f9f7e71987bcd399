import { isJsonObject } from '@/lib/kube/json';
import { type ClusterTransport } from '@/server/cluster/transport';
import { type Controllers } from '@/sandbox/controllers/controllers';
import { type SeedClock } from '@/sandbox/seed-clock';
import { type SeedWrite } from '@/sandbox/seed/seed-writes';
import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

interface ReplayEnvironment {
  /** Of a user who may impersonate. */
  readonly transport: ClusterTransport;
  readonly controllers: Controllers;
  readonly clock: SeedClock;
  /** Processes every change before the clock continues. */
  readonly observer?: { settled(): Promise<void> } | undefined;
}

/**
 * Replays the writes, oldest first, and waits for the controllers to become idle before and after each, so
 * that the same writes give the same history. `onProgress` gets the share of the writes that were made, from
 * 0 to 1.
 */
export async function replayWrites(
  environment: ReplayEnvironment,
  writes: readonly SeedWrite[],
  end: number,
  onProgress: (share: number) => void,
): Promise<void> {
  const inOrder = writes.toSorted((a, b) => a.at - b.at);
  for (const [index, write] of inOrder.entries()) {
    await advanceTo(environment, write.at);
    await sendWrite(environment.transport, write);
    onProgress((index + 1) / inOrder.length);
  }
  await advanceTo(environment, end);
}

async function advanceTo({ controllers, clock, observer }: ReplayEnvironment, at: number): Promise<void> {
  for (;;) {
    await controllers.idle();
    await observer?.settled();
    const next = controllers.nextTimer();
    if (next === undefined || next > at) break;
    clock.advanceTo(next);
  }
  clock.advanceTo(at);
}

/** Sends one write, as the user of that write. Throws AppError. */
export async function sendWrite(people: ClusterTransport, write: SeedWrite): Promise<void> {
  const transport = people.as({ kind: 'impersonate', user: write.by.user, groups: ['system:masters'] });
  const common = { query: { fieldManager: write.by.manager } };
  switch (write.do) {
    case 'create':
      await transport.json({
        ...common,
        method: 'POST',
        path: write.collection,
        body: JSON.stringify(write.object),
      });
      return;
    case 'apply':
      await transport.json({
        ...common,
        method: 'PATCH',
        path: write.path,
        contentType: 'application/apply-patch+yaml',
        body: JSON.stringify(write.object),
      });
      return;
    case 'patch':
      await transport.json({
        ...common,
        method: 'PATCH',
        path: write.path,
        contentType: `application/${write.type}-patch+json`,
        body: JSON.stringify(write.patch),
      });
      return;
    case 'delete':
      await transport.json({ ...common, query: {}, method: 'DELETE', path: write.path });
      return;
    case 'deletePods':
      for (const path of await oldestPods(people, write))
        await transport.json({ ...common, query: {}, method: 'DELETE', path });
      return;
    default: {
      const unknown: never = write;
      throw new RangeError(`no way to do ${JSON.stringify(unknown)}`);
    }
  }
}

/** Paths of the pods to delete, in the order of their nodes. */
async function oldestPods(
  transport: ClusterTransport,
  { namespace, selector, count }: SeedWrite & { do: 'deletePods' },
): Promise<string[]> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const answer = await transport.json({ method: 'GET', path, query: { labelSelector: selector } });
  return listOrEmptyAt(answer, 'items')
    .filter(isJsonObject)
    .toSorted((a, b) =>
      textOrEmptyAt(a, 'spec', 'nodeName') < textOrEmptyAt(b, 'spec', 'nodeName') ? -1 : 1,
    )
    .slice(0, count)
    .map((pod) => `${path}/${textOrEmptyAt(pod, 'metadata', 'name')}`);
}
