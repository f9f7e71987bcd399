import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Action } from '@/lib/api/action';
import { at, template } from '@/lib/workloads/testing/objects';
import { ana, deployment, NOON, openShop, path, ref, replicaSetOf } from '@/server/actions/testing/shop';

let shop: ReturnType<typeof openShop>;
let id: string;

beforeEach(async () => {
  shop = openShop();
  id = (await shop.rollback()).result?.actionId ?? '';
});

const now = (): Promise<Action> => shop.actions.get(ana, id);

/** The controller's write: revision 2 is now revision 4, with this many pods updated and ready. */
async function observe(pods: Parameters<typeof deployment>[1], status = {}): Promise<Action> {
  shop.cluster.put(replicaSetOf(4, template('2'), 2, 2));
  const written = shop.cluster.get(path);
  const next = deployment({}, { generation: 4, ...pods }).status;
  shop.cluster.put({ ...written, status: { ...next, ...status } });
  await shop.cluster.settled();
  return now();
}

describe('an accepted action', () => {
  test('is not taken for done before the cluster shows it', async () => {
    shop.cluster.put(deployment(template('3')));
    await shop.cluster.settled();
    expect(await now()).toMatchObject({ state: 'accepted', recordedAs: null });
  });

  test('waits for the controller, follows the pods, and ends with the last one', async () => {
    expect((await observe({ observed: 3 })).state).toBe('accepted');
    expect(await observe({ updated: 1, ready: 1 })).toMatchObject({
      state: 'following',
      recordedAs: 4,
      progress: { desired: 2, updated: 1, ready: 1 },
    });
    expect(await observe({})).toMatchObject({
      state: 'done',
      message: expect.stringMatching(/^Complete: .* of 2 pods ready on revision 4\.$/) as string,
      recordedAs: 4,
      endedAt: new Date(NOON).toISOString(),
    });
    expect(shop.events()).toEqual(['attempted', 'accepted', 'finished']);
  });

  test('is followed further after an update that failed', async () => {
    const look = vi.spyOn(shop.cluster.cache, 'workload').mockImplementationOnce(() => {
      throw new Error('no view');
    });
    await observe({ updated: 1, ready: 1 });
    expect(look).toHaveBeenCalled();
    expect(await observe({})).toMatchObject({ state: 'done' });
  });

  test('does not end under the number of its previous activation', async () => {
    const written = shop.cluster.get(path);
    shop.cluster.put({ ...written, status: deployment({}, { generation: 4 }).status });
    await shop.cluster.settled();
    expect(await now()).toMatchObject({ state: 'following', recordedAs: null });
    expect(await observe({})).toMatchObject({ state: 'done', recordedAs: 4 });
  });

  test('does not fail by the deadline of the rollout that it ends, but by its own', async () => {
    const late = (seconds: number) => ({
      type: 'Progressing',
      status: 'False',
      reason: 'ProgressDeadlineExceeded',
      lastTransitionTime: new Date(NOON + seconds * 1_000).toISOString(),
    });
    const before = await observe({ updated: 1, ready: 0 }, { conditions: [late(0)] });
    expect(before.state).toBe('following');
    shop.clock.now += 601_000;
    expect((await observe({ updated: 1, ready: 0 }, { conditions: [late(-60)] })).state).toBe('failed');
  });

  test('fails when its deadline passes', async () => {
    const conditions = [{ type: 'Progressing', status: 'False', reason: 'ProgressDeadlineExceeded' }];
    expect((await observe({ updated: 1, ready: 0 }, { conditions })).state).toBe('failed');
  });

  async function writtenBy(manager: string, image: string): Promise<void> {
    const other = deployment(template(image), { generation: 5 });
    other.metadata.managedFields = [
      { manager, operation: 'Apply', time: at(9), fieldsV1: { 'f:spec': { 'f:template': {} } } },
    ];
    shop.cluster.put(other);
    await shop.cluster.settled();
  }

  test('is undone by an owner that puts the template before back, with its name', async () => {
    await writtenBy('argocd-controller', '3');
    expect(await now()).toMatchObject({
      state: 'failed',
      undoneBy: 'argocd-controller',
      message: 'argocd-controller put the template before back at 2026-08-01 12:09:00 UTC.',
    });
  });

  test.each([
    ['a person', 'kubectl-edit', '3'],
    ['another template of its owner', 'argocd-controller', '5'],
  ])('is superseded, not undone, by %s', async (_, manager, image) => {
    await writtenBy(manager, image);
    const action = await now();
    expect(action).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^Superseded: /) as string,
    });
    expect(action).not.toHaveProperty('undoneBy');
  });

  test('is superseded by another template, with its author', async () => {
    await writtenBy('argocd', '5');
    expect(await now()).toMatchObject({
      state: 'failed',
      message: expect.stringMatching(/^Superseded: .* by argocd at 2026-08-01 12:09:00 UTC/) as string,
    });
  });

  test('is not superseded by a change of scale', async () => {
    const written = shop.cluster.get(path);
    written.metadata.generation = 5;
    shop.cluster.put({ ...written, spec: { ...written.spec, replicas: 7 } });
    await shop.cluster.settled();
    expect((await now()).state).toBe('accepted');
  });

  test('fails when the workload is deleted, also when another one gets its name', async () => {
    shop.cluster.remove(path);
    const again = deployment(template('2'), { generation: 4 });
    again.metadata.uid = 'uid-again';
    shop.cluster.put(again);
    await shop.cluster.settled();
    expect(await now()).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('deleted') as string,
    });
  });

  test('is not assessed by a cache that is not filled', async () => {
    shop.cluster.states = [{ resource: ref.resource, synced: false, problem: null }];
    shop.cluster.remove(path);
    await shop.cluster.settled();
    expect((await now()).state).toBe('accepted');
  });

  test('does not count as deleted where Shiplog no longer reads its namespace', async () => {
    shop.cluster.states = [];
    shop.cluster.remove(path);
    await shop.cluster.settled();
    expect((await now()).state).toBe('accepted');
  });

  test('is followed no longer than a day', async () => {
    shop.clock.now = NOON + 25 * 3_600_000;
    expect((await observe({ updated: 1, ready: 1 })).state).toBe('failed');
  });
});

describe('after a restart of the server', () => {
  test('follows open actions again', async () => {
    shop.restart();
    expect((await observe({ updated: 1, ready: 1 })).state).toBe('following');
    shop.restart();
    expect((await observe({})).state).toBe('done');
    shop.restart();
    expect((await now()).state).toBe('done');
    expect(shop.cluster.listeners).toBe(0);
  });

  test('leaves the actions of another live process to it, and follows them when that has ended', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const other = spawn('sleep', ['60']);
    const [last] = shop.lines().slice(-1);
    if (last === undefined) throw new Error('no line');
    shop.audit.append({ ...last, holder: `${hostname()}/${other.pid}/other` });
    shop.restart();
    await observe({});
    expect(shop.events().at(-1)).toBe('accepted');
    const ended = new Promise((resolve) => other.once('exit', resolve));
    other.kill();
    await ended;
    vi.advanceTimersByTime(5_000);
    expect(shop.events().at(-1)).toBe('finished');
    expect((await now()).state).toBe('done');
  });

  test('finds a write of unknown outcome, or fails it when it never arrives', async () => {
    for (const arrived of [true, false]) {
      shop = openShop();
      shop.cluster.onRequest = ({ method, query }) => {
        // The process dies with the request pending.
        if (method === 'PATCH' && query?.dryRun === undefined) throw new Error('killed');
      };
      await shop.rollback().catch(() => undefined);
      const [attempted] = shop.lines();
      id = attempted?.action.id ?? '';
      shop.audit.append({ ...attempted, action: { ...attempted?.action } } as never);
      shop.restart();
      expect((await now()).state).toBe('accepted');
      if (arrived) {
        shop.cluster.put(deployment(template('2'), { generation: 4 }));
        expect((await observe({})).state).toBe('done');
      } else {
        shop.cluster.connection = { ...shop.cluster.connection, observedAt: NOON + 100_000 };
        shop.cluster.put(deployment(template('3')));
        await shop.cluster.settled();
        expect(await now()).toMatchObject({
          state: 'failed',
          message: expect.stringContaining('never arrived') as string,
        });
      }
    }
  });
});

describe('actions are shown', () => {
  test('to viewers who are allowed to read the workload', async () => {
    shop.cluster.answerAccess = () => ({ allowed: false });
    await expect(now()).rejects.toMatchObject({ code: 'forbidden' });
    await expect(shop.actions.list(ana, ref)).rejects.toMatchObject({ code: 'forbidden' });
  });

  test('newest first, rejected ones too, of this workload alone', async () => {
    await shop.rollback({ to: 2 }).catch(() => undefined);
    const list = await shop.actions.list(ana, ref);
    expect(list.map(({ state }) => state)).toEqual(['refused', 'accepted']);
    expect(await shop.actions.list(ana, { ...ref, name: 'other' })).toEqual([]);
  });

  test('unless they belong to another cluster', async () => {
    const { identity } = shop.cluster;
    Object.assign(identity, { id: 'other' });
    await expect(now()).rejects.toMatchObject({ code: 'not_found', details: { cluster: 'cluster' } });
    expect(await shop.actions.list(ana, ref)).toStrictEqual([]);
    identity.isGuessed = true;
    await expect(now()).rejects.toMatchObject({ code: 'cluster_unreachable' });
    await expect(shop.actions.list(ana, ref)).rejects.toMatchObject({ code: 'cluster_unreachable' });
  });

  test('unless they are unknown', async () => {
    await expect(shop.actions.get(ana, 'x')).rejects.toMatchObject({ code: 'not_found' });
  });
});

test('has no listener while no action is followed', async () => {
  expect(shop.cluster.listeners).toBe(1);
  await observe({});
  expect(shop.cluster.listeners).toBe(0);
});
