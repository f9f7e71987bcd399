import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Keys } from '@/server/shared/keys';
import { sampleIncarnation, sampleRecord } from '@/server/archive/testing/samples';
import { messageOf } from '@/server/notifications/message';
import { createSender } from '@/server/notifications/send';
import {
  type ReceiverAnswer,
  type Received,
  type Receiver,
  startReceiver,
} from '@/server/notifications/testing/receiver';
import { type WebhookTarget, webhookTargets } from '@/server/shared/webhooks';

const SECRET = '0123456789abcdef';
const NOW_MS = 1_772_442_000_999;
const never = new AbortController().signal;
const record = sampleRecord(sampleIncarnation(), 2);
const message = messageOf(
  {
    id: `${record.id}.started`,
    kind: 'started',
    at: '2026-03-02T11:00:00.000Z',
    record,
    reason: null,
    revertedBy: null,
    review: null,
  },
  { mask: new Keys(Buffer.alloc(32, 7)).mask, publicUrl: undefined, sandbox: false, clusterName: () => null },
);

let receiver: Receiver;
let sender: ReturnType<typeof createSender>;

beforeEach(async () => {
  receiver = await startReceiver(200);
  sender = createSender(300);
});
afterEach(async () => {
  await sender.close();
  await receiver.close();
});

function target(prefix = ''): WebhookTarget {
  const [parsed] = webhookTargets.parse([prefix + receiver.url]);
  return parsed as WebhookTarget;
}

test('a receiver with the secret can verify what is sent, and identify it by its id', async () => {
  expect(await sender.send(target(), SECRET, message, NOW_MS, never)).toBeNull();
  const { path, headers, body } = receiver.received[0] as Received;
  expect(path).toBe('/hook?key=s3cret');
  expect(JSON.parse(body)).toStrictEqual(JSON.parse(JSON.stringify(message)));
  expect(headers).toMatchObject({
    'content-type': 'application/json',
    'shiplog-event': 'started',
    'shiplog-event-id': 'uid-cart.2.started',
  });
  const [, seconds, signature] =
    /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers['shiplog-signature'])) ?? [];
  expect(seconds).toBe('1772442000');
  expect(signature).toBe(createHmac('sha256', SECRET).update(`${seconds}.${body}`).digest('hex'));
});

test('without a secret nothing is signed, and Slack gets a text only', async () => {
  await sender.send(target('slack+'), null, message, NOW_MS, never);
  const { headers, body } = receiver.received[0] as Received;
  expect(headers['shiplog-signature']).toBeUndefined();
  expect(JSON.parse(body)).toStrictEqual({ text: message.text });
});

test.each<[string, ReceiverAnswer, string | null]>([
  ['202', 202, null],
  ['500', 500, 'Status 500.'],
  ['404', 404, 'Status 404.'],
  ['silence', 'silent', 'No response within 0.3 s.'],
  ['a connection that breaks', (response) => response.destroy(), 'Unreachable (UND_ERR_SOCKET).'],
  [
    'an answer without an end',
    (response) => {
      response.writeHead(200);
      response.write('x');
    },
    null,
  ],
])('%s is judged', async (_, answer, expected) => {
  receiver.answers = [answer];
  expect(await sender.send(target(), null, message, NOW_MS, never)).toBe(expected);
});

test('a redirect is not followed', async () => {
  receiver.answers = [(response) => response.writeHead(307, { location: '/other' }).end()];
  expect(await sender.send(target(), null, message, NOW_MS, never)).toContain('redirects are not followed');
  expect(receiver.received).toHaveLength(1);
});

test('reports why a target could not be reached without its address', async () => {
  const gone = target();
  await receiver.close();
  const reason = await sender.send(gone, null, message, NOW_MS, never);
  expect(reason).toBe('Unreachable (ECONNREFUSED).');
});

test('a stop aborts what is being sent', async () => {
  receiver.answers = ['silent'];
  const stopping = new AbortController();
  const sending = sender.send(target(), null, message, NOW_MS, stopping.signal);
  stopping.abort();
  expect(await sending).not.toBeNull();
});
