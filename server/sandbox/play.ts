import { isJsonObject } from '@/lib/kube/json';
import { type Transport } from '@/server/cluster/transport';
import { type Controllers } from '@/server/sandbox/controllers/controllers';
import { type StoryClock } from '@/server/sandbox/story-clock';
import { type Write } from '@/server/sandbox/story/writes';
import { listAt, textAt } from '@/server/sandbox/api/stored-object';

export interface Stage {
  /** Of somebody who may impersonate. */
  readonly transport: Transport;
  readonly controllers: Controllers;
  readonly clock: StoryClock;
  /** Sees everything before the clock goes on. */
  readonly onlooker?: { settled(): Promise<void> } | undefined;
}

/**
 * Plays the writes, oldest first, and lets the controllers come to rest before and after each, so that the same writes
 * give the same history. `onProgress` is told the share of the writes that have been made, from 0 to 1.
 */
export async function play(
  stage: Stage,
  writes: readonly Write[],
  end: number,
  onProgress: (share: number) => void,
): Promise<void> {
  const inOrder = writes.toSorted((a, b) => a.at - b.at);
  for (const [index, write] of inOrder.entries()) {
    await moveTo(stage, write.at);
    await perform(stage.transport, write);
    onProgress((index + 1) / inOrder.length);
  }
  await moveTo(stage, end);
}

async function moveTo({ controllers, clock, onlooker }: Stage, at: number): Promise<void> {
  for (;;) {
    await controllers.idle();
    await onlooker?.settled();
    const next = controllers.nextTimer();
    if (next === undefined || next > at) break;
    clock.advanceTo(next);
  }
  clock.advanceTo(at);
}

/** Sends one write, as the person whose it is. Throws AppError. */
export async function perform(transport: Transport, write: Write): Promise<void> {
  const common = {
    query: { fieldManager: write.by.manager },
    impersonate: { user: write.by.user, groups: ['system:masters'] },
  };
  switch (write.do) {
    case 'create':
      await transport.json({
        ...common,
        method: 'POST',
        path: write.collection,
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
      for (const path of await oldestPods(transport, write))
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
  transport: Transport,
  { namespace, selector, count }: Write & { do: 'deletePods' },
): Promise<string[]> {
  const path = `/api/v1/namespaces/${namespace}/pods`;
  const answer = await transport.json({ method: 'GET', path, query: { labelSelector: selector } });
  return listAt(answer, 'items')
    .filter(isJsonObject)
    .toSorted((a, b) => (textAt(a, 'spec', 'nodeName') < textAt(b, 'spec', 'nodeName') ? -1 : 1))
    .slice(0, count)
    .map((pod) => `${path}/${textAt(pod, 'metadata', 'name')}`);
}
