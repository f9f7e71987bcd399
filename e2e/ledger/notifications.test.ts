import { createHmac } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ControlPlane, startControlPlane } from '@/e2e/controlplane/control-plane';
import { seedNamespace, settled } from '@/e2e/controlplane/seed';
import { waitFor } from '@/e2e/controlplane/wait';
import { deploy, IMAGE, setImage, shownAt } from '@/e2e/cluster/deployments';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import { type Activity } from '@/lib/api/activity';
import { type RecordList } from '@/lib/api/records';
import { type Message } from '@/server/notifications/message';
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

const messages = () => receiver.received.map(({ body }) => JSON.parse(body) as Message);

/** The first message of this kind about the image with this tag. */
function told(event: Message['event'], tag: string): Promise<Message> {
  return waitFor(`${event} of ${tag} is told`, async () =>
    Promise.resolve(
      messages().find(
        (message) => message.event === event && message.rollout.images[0]?.image === `${IMAGE}:${tag}`,
      ),
    ),
  );
}

describe('notifications', () => {
  test('tell of a rollout that gets stuck, of its end by a rollback, and nothing of what was there before', async () => {
    await setImage(cluster, NAMESPACE, 'cart', `${IMAGE}:2.0-broken`);
    const started = await told('started', '2.0-broken');
    const stuck = await told('stuck', '2.0-broken');
    expect(stuck.reason).not.toBe('');
    const { workload } = await shiplog.get(shownAt(NAMESPACE, 'cart'));
    const answer = await shiplog.post(`${shownAt(NAMESPACE, 'cart')}/rollback`, {
      to: 2,
      seen: workload.seen,
      reason: 'it can not start',
    });
    expect(answer.status).toBe(200);
    const undone = await told('rolledBack', '2.0-broken');
    await settled(cluster, 'Deployment', { namespace: NAMESPACE, name: 'cart' });
    expect(undone.rollout.recordId).toBe(started.rollout.recordId);
    expect(started.url).toBe(`${PUBLIC_URL}/records/${started.rollout.recordId}`);
    expect(messages().filter(({ rollout }) => rollout.images[0]?.image === `${IMAGE}:1.0`)).toEqual([]);
  });

  test('are signed, and each event keeps its id however often it was sent', () => {
    const [first, second] = receiver.received;
    expect(first?.headers['shiplog-event-id']).toBe(second?.headers['shiplog-event-id']);
    for (const { headers, body } of receiver.received) {
      const [, time, signature] = /^t=(\d+),v1=(.*)$/.exec(String(headers['shiplog-signature'])) ?? [];
      expect(createHmac('sha256', SECRET).update(`${time}.${body}`).digest('hex')).toBe(signature);
    }
    const delivered = receiver.received.slice(1).map(({ headers }) => headers['shiplog-event-id']);
    expect(new Set(delivered).size).toBe(delivered.length);
  });

  test('of a bad verdict go out after a kill, and not twice', async () => {
    const { items } = (await shiplog.get(`/api/records?namespace=${NAMESPACE}`)) as RecordList;
    const id = items.find(({ images }) => images[0]?.image === `${IMAGE}:2.0-broken`)?.id ?? '';
    receiver.answers = ['silent'];
    const before = receiver.received.length;
    const path = `/api/records/${encodeURIComponent(id)}/review`;
    const verdict = { verdict: 'bad', comment: '', followUp: null, ifVersion: 0 };
    const answer = await shiplog.fetch(path, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(verdict),
    });
    expect(answer.status).toBe(200);
    await waitFor('it is being sent', () => Promise.resolve(receiver.received.length > before || undefined));
    await shiplog.stop('SIGKILL');
    receiver.answers = [200];
    shiplog = await start();
    const again = await waitFor('it is sent again', () =>
      Promise.resolve(messages().filter(({ event }) => event === 'badVerdict').length > 1 || undefined),
    );
    expect(again).toBe(true);
    await waitFor('nothing waits', async () => {
      const { notifications } = (await shiplog.get('/api/activity')) as Activity;
      const [target] = notifications;
      return target?.waiting === 0 && target.failingSince === null ? true : undefined;
    });
    const bad = messages().filter(({ event }) => event === 'badVerdict');
    expect(bad.map(({ id: of }) => of)).toEqual([`${id}.badVerdict.1`, `${id}.badVerdict.1`]);
    expect(bad[0]?.verdict?.version).toBe(1);
  });

  test('what was done is in the activity after all of this, with the rollout that it began', async () => {
    const { items, partial } = (await shiplog.get(`/api/activity?namespace=${NAMESPACE}`)) as Activity;
    expect(partial).toEqual([]);
    expect(items).toMatchObject([{ action: 'rollback', name: 'cart', state: 'done' }]);
    const record = await shiplog.get(`/api/records/${encodeURIComponent(items[0]?.recordId ?? '')}`);
    expect(record.actionId).toBe(items[0]?.id);
    expect(shiplog.log()).not.toContain('s3cret');
  });
});
