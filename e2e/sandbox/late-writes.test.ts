import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { rewriteServer } from '@/e2e/controlplane/kubeconfig';
import { waitFor } from '@/e2e/controlplane/wait';
import { createDeployment, NAMESPACE, setImage, shownAt } from '@/e2e/sandbox/deployments';
import { type DelayedWriteProxy, openDelayedWriteProxy } from '@/e2e/support/delayed-writes';
import { type FaultySandbox, startFaultySandbox } from '@/e2e/support/faulty-sandbox';
import type { Shiplog } from '@/e2e/support/shiplog';
import type { Action } from '@/lib/api/action';
import type { RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';

vi.setConfig({ testTimeout: 90_000, hookTimeout: 90_000 });

let sandbox: FaultySandbox;
let network: DelayedWriteProxy;
let shiplog: Shiplog;
let folder: string;

beforeAll(async () => {
  sandbox = await startFaultySandbox();
  network = await openDelayedWriteProxy(sandbox.api);
  folder = mkdtempSync(join(tmpdir(), 'shiplog-late-'));
  const kubeconfig = join(folder, 'kubeconfig');
  rewriteServer(sandbox.kubeconfig, kubeconfig, network.server);
  shiplog = await sandbox.startShiplog({ kubeconfig });
});
afterAll(async () => {
  await shiplog?.stop();
  await network?.close();
  await sandbox?.close();
  rmSync(folder, { recursive: true, force: true });
});

const shown = async (name: string) => (await shiplog.get(shownAt(name))) as WorkloadDetail;

interface Failure {
  message: string;
  details: { actionId: string; outcome: string };
}

/** The message for a write while the API server is unreachable. */
async function failureOf(path: string, body: object): Promise<Failure> {
  const answer = await shiplog.post(path, body);
  expect(answer.status).toBe(503);
  return (answer.body as { error: Failure }).error;
}

/** Completes with the image as its target. */
async function untilComplete(name: string, image: string): Promise<WorkloadDetail> {
  let detail: WorkloadDetail | undefined;
  const ask = async () => {
    detail = await shown(name).catch(() => undefined);
    const workload = detail?.workload;
    return workload?.state === 'complete' && workload.images[0]?.image === image;
  };
  await waitFor(ask, { what: `${name} is complete with ${image}` });
  return detail as WorkloadDetail;
}

async function untilAction(id: string, isThere: (action: Action) => boolean): Promise<Action> {
  let action: Action | undefined;
  const ask = async () => {
    action = (await shiplog.get(`/api/actions/${id}`)) as Action;
    return isThere(action);
  };
  await waitFor(ask, { what: 'the action says so', detail: () => JSON.stringify(action) });
  return action as Action;
}

it('follows a rollback without an answer, finds its delayed write, and records its author', async () => {
  await createDeployment(sandbox.client, 'web', 'web:1');
  await untilComplete('web', 'web:1');
  await setImage(sandbox.client, 'web', 'web:2');
  const { workload } = await untilComplete('web', 'web:2');

  network.holdNext();
  const body = { to: 1, seen: workload.seen, reason: 'errors', dryRun: false };
  const { message, details } = await failureOf(`${shownAt('web')}/rollback`, body);
  expect(details).toMatchObject({ outcome: 'unknown', actionId: expect.any(String) as string });
  expect(message).toMatch(/has not arrived yet, but still may\. Shiplog keeps checking/);
  expect(message).not.toContain('Nothing was applied');
  expect(await shiplog.get(`/api/actions/${details.actionId}`)).toMatchObject({
    state: 'accepted',
    unanswered: true,
  });

  expect(await network.deliver()).toBe(200);
  await untilComplete('web', 'web:1');
  expect(await untilAction(details.actionId, ({ state }) => state === 'done')).toMatchObject({
    actor: 'admin',
    recordedAs: 3,
  });
  const path = `/api/records?namespace=${NAMESPACE}&name=web&limit=1`;
  await waitFor(
    async () => {
      const [latest] = ((await shiplog.get(path)) as RecordList).items;
      return latest?.to.number === 3 && latest.actor?.source === 'shiplog';
    },
    { what: 'the record names who rolled back' },
  );
});

it('reports the result of a pause without an answer', async () => {
  await createDeployment(sandbox.client, 'api', 'api:1');
  const { workload } = await untilComplete('api', 'api:1');
  network.holdNext();
  const body = { seen: workload.seen, reason: '', dryRun: false };
  const { actionId } = (await failureOf(`${shownAt('api')}/pause`, body)).details;
  await setImage(sandbox.client, 'api', 'api:1');
  expect(await untilAction(actionId, () => true)).toMatchObject({ state: 'accepted' });
  expect(await network.deliver()).toBe(200);
  await untilAction(actionId, ({ state }) => state === 'done');
});
