import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import { deploy, IMAGE, setImage, shownAt } from '@/e2e/cluster/deployments';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { Activity } from '@/lib/api/activity';
import type { RecordAnswer, RecordList } from '@/lib/api/records';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { Message } from '@/server/notifications/message';
import { type Receiver, startReceiver } from '@/server/notifications/testing/receiver';

const NAMESPACE = 'told';
const SECRET = 'a secret of some length';
const PUBLIC_URL = 'https://shiplog.example.com';

let cluster: ControlPlane;
let shiplog: Shiplog;
let receiver: Receiver;
const dataDir = mkdtempSync(join(tmpdir(), 'shiplog-told-'));

beforeAll(async () => {
  cluster = await startControlPlane();
  await seedNamespace(cluster, NAMESPACE);
  await deploy(cluster, NAMESPACE, 'cart', ['1.0', '1.1'], { spec: { progressDeadlineSeconds: 3 } });
  receiver = await startReceiver(500, 200);
  shiplog = await start();
  const isRecorded = async () =>
    (await recordsOf()).some(({ images }) => images[0]?.image === `${IMAGE}:1.1`);
  await waitFor(isRecorded, { what: 'what was there before is recorded' });
});

afterAll(async () => {
  await shiplog?.stop();
  await receiver?.close();
  await cluster?.stop();
  rmSync(dataDir, { recursive: true, force: true });
});

function start(): Promise<Shiplog> {
  return startShiplog({
    kubeconfig: cluster.kubeconfigs.admin,
    dataDir,
    env: {
      SHIPLOG_WEBHOOK_URL: receiver.url,
      SHIPLOG_WEBHOOK_SECRET: SECRET,
      SHIPLOG_PUBLIC_URL: PUBLIC_URL,
    },
  });
}

async function recordsOf(): Promise<RecordList['items']> {
  return ((await shiplog.get(`/api/records?namespace=${NAMESPACE}`)) as RecordList).items;
}

const messages = () => receiver.received.map(({ body }) => JSON.parse(body) as Message);

const verdictNotifications = () => messages().filter(({ event }) => event === 'badVerdict');

async function allDelivered(): Promise<boolean> {
  const { notifications } = (await shiplog.get('/api/activity')) as Activity;
  const [target] = notifications;
  return target?.waiting === 0 && target.failingSince === null;
}

/** The first message of this kind about the image with this tag. */
function untilNotified(event: Message['event'], tag: string): Promise<Message> {
  const isIt = ({ event: kind, rollout }: Message) =>
    kind === event && rollout.images[0]?.image === `${IMAGE}:${tag}`;
  return waitFor(() => messages().find(isIt), {
    what: `${event} of ${tag} is told`,
    detail: () => shiplog.log(),
  });
}

describe('notifications', () => {
  test('report a rollout that gets stuck and its end by a rollback, and nothing from before the start', async () => {
    await setImage(cluster, NAMESPACE, 'cart', `${IMAGE}:2.0-broken`);
    const started = await untilNotified('started', '2.0-broken');
    const stuck = await untilNotified('stuck', '2.0-broken');
    expect(stuck.reason).not.toBe('');
    const { workload } = (await shiplog.get(shownAt(NAMESPACE, 'cart'))) as WorkloadDetail;
    const answer = await shiplog.post(`${shownAt(NAMESPACE, 'cart')}/rollback`, {
      to: 2,
      seen: workload.seen,
      reason: 'it can not start',
    });
    expect(answer.status).toBe(200);
    const undone = await untilNotified('rolledBack', '2.0-broken');
    await untilSettled(cluster, 'Deployment', { namespace: NAMESPACE, name: 'cart' });
    expect(undone.rollout.recordId).toBe(started.rollout.recordId);
    expect(started.url).toBe(`${PUBLIC_URL}/records/${started.rollout.recordId}`);
    expect(messages().filter(({ rollout }) => rollout.images[0]?.image === `${IMAGE}:1.0`)).toEqual([]);
  });

  test('are signed, and sent again under the same id after a failure, once', async () => {
    await waitFor(allDelivered, { what: 'nothing waits any more' });
    const ids = receiver.received.map(({ headers }) => headers['shiplog-event-id']);
    expect(ids.filter((id) => id === ids[0])).toHaveLength(2);
    expect(new Set(ids).size).toBe(ids.length - 1);
    for (const { headers, body } of receiver.received) {
      const [, time, signature] = /^t=(\d+),v1=(.*)$/.exec(String(headers['shiplog-signature'])) ?? [];
      expect(createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')).toBe(signature);
    }
  });

  test('of a bad verdict are sent after a kill, and not twice', async () => {
    const records = await recordsOf();
    const id = records.find(({ images }) => images[0]?.image === `${IMAGE}:2.0-broken`)?.id ?? '';
    receiver.answers = ['silent'];
    const path = `/api/records/${encodeURIComponent(id)}/review`;
    const verdict = { verdict: 'bad', comment: '', followUp: null, ifVersion: 0 };
    const answer = await shiplog.fetch(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(verdict),
    });
    expect(answer.status).toBe(200);
    await waitFor(() => verdictNotifications().length > 0, { what: 'it is being sent' });
    await shiplog.stop('SIGKILL');
    receiver.answers = [200];
    shiplog = await start();
    await waitFor(() => verdictNotifications().length > 1, { what: 'it is sent again' });
    await waitFor(allDelivered, { what: 'nothing waits any more' });
    const bad = verdictNotifications();
    expect(bad.map(({ id: of }) => of)).toEqual([`${id}.badVerdict.1`, `${id}.badVerdict.1`]);
    expect(bad[0]?.verdict?.version).toBe(1);
  });

  test('actions are in the activity after all of this, with the rollout that they began', async () => {
    const { items, partial } = (await shiplog.get(`/api/activity?namespace=${NAMESPACE}`)) as Activity;
    expect(partial).toEqual([]);
    expect(items, items[0]?.message ?? '').toMatchObject([
      { action: 'rollback', name: 'cart', state: 'done' },
    ]);
    const path = `/api/records/${encodeURIComponent(items[0]?.recordId ?? '')}`;
    const record = (await shiplog.get(path)) as RecordAnswer;
    expect(record.actionId).toBe(items[0]?.id);
    expect(shiplog.log()).not.toContain('s3cret');
  });
});
