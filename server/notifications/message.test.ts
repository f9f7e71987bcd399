import { eventKinds } from '@/server/shared/webhooks';
import { expect, test } from 'vitest';
import { sampleIncarnation, sampleRecord } from '@/server/archive/testing/samples';
import { Keys } from '@/server/shared/keys';
import type { NotifiedEvent } from '@/server/notifications/event';
import { messageOf, slackBody } from '@/server/notifications/message';

const keys = new Keys(Buffer.alloc(32, 7));
const context = {
  mask: keys.mask,
  publicUrl: 'https://shiplog.example',
  sandbox: false,
  clusterName: () => null,
};
const secret = 'password=hunter2hunter2';
const record = sampleRecord(sampleIncarnation(), 2, {
  id: 'a/b',
  cause: secret,
  summary: `Image changed, ${secret}`,
  actor: { name: 'ann', source: 'shiplog', manager: null },
});

function event(kind: NotifiedEvent['kind']): NotifiedEvent {
  const isBad = kind === 'badVerdict';
  const at = '2026-03-02T12:00:00.000Z';
  return {
    id: `a/b.${kind}`,
    kind,
    at,
    record,
    reason: kind === 'stuck' ? secret : null,
    revertedBy: kind === 'rolledBack' ? sampleRecord(sampleIncarnation(), 3) : null,
    review: isBad ? { verdict: 'bad', by: 'ben', at, followUp: null, version: 2, history: [] } : null,
  };
}

test.each(eventKinds)('the message of "%s" has place, event and actor, and no credential', (kind) => {
  const message = messageOf(event(kind), context);
  expect(message.text).toMatch(/^cart in shop: .*revision 2/);
  expect(message).toMatchObject({
    event: kind,
    url: 'https://shiplog.example/records/a%2Fb',
    workload: { namespace: 'shop', name: 'cart' },
    rollout: { from: 1, to: 2, actor: { name: 'ann' } },
  });
  expect(JSON.stringify(message)).not.toContain('hunter2');
});

test('names the actor of the revert and the author of the verdict', () => {
  expect(messageOf(event('rolledBack'), context)).toMatchObject({
    text: expect.stringContaining('revision 2 was rolled back by ann') as string,
    revertedBy: { recordId: 'uid-cart.3', url: 'https://shiplog.example/records/uid-cart.3', actor: 'ann' },
  });
  expect(messageOf(event('badVerdict'), context)).toMatchObject({
    text: expect.stringContaining('marked bad by ben') as string,
    verdict: { by: 'ben', version: 2 },
  });
});

test('what the owner of a workload reverted is not reported as rolled back by a person', () => {
  const undone = { ...record, outcome: 'undone', undoneBy: 'argocd-controller' } as const;
  expect(messageOf({ ...event('rolledBack'), record: undone }, context).text).toMatch(
    /^cart in shop: revision 2 was reverted by argocd-controller: /,
  );
});

test('a tool is not taken for a person', () => {
  const via = { ...record, actor: { name: 'argocd', source: 'managedFields', manager: 'argocd' } } as const;
  expect(messageOf({ ...event('started'), record: via }, context).text).toContain(
    'revision 2 via argocd started',
  );
});

test('without an address of its own Shiplog sends no link', () => {
  const message = messageOf(event('started'), {
    mask: keys.mask,
    publicUrl: undefined,
    sandbox: false,
    clusterName: () => null,
  });
  expect(message.url).toBeNull();
  expect(JSON.parse(slackBody(message))).toStrictEqual({ text: message.text });
});

test('text can neither link nor mention anybody in Slack', () => {
  const body = slackBody({
    text: '<!channel> & <https://evil.example|here>',
    url: 'https://s.example/?a=1&b=2',
  });
  expect(JSON.parse(body)).toStrictEqual({
    text: '&lt;!channel&gt; &amp; &lt;https://evil.example|here&gt;\n<https://s.example/?a=1&amp;b=2|Open record>',
  });
});

test('a message is bounded, whatever the record holds', () => {
  const images = Array.from({ length: 300 }, (_, index) => ({ container: `c${index}`, image: 'x' }));
  const huge = { ...record, summary: 's'.repeat(100_000), cause: 'c'.repeat(100_000), images };
  expect(JSON.stringify(messageOf({ ...event('started'), record: huge }, context)).length).toBeLessThan(
    10_000,
  );
});

test('a message of the sandbox states so, to programs and to people', () => {
  const message = messageOf(event('failed'), { ...context, sandbox: true });
  expect(message.sandbox).toBe(true);
  expect(message.text).toMatch(/^Sandbox \(simulated\): cart in shop/);
  expect(messageOf(event('failed'), context).sandbox).toBe(false);
});

test('names the cluster where there are several', () => {
  const message = messageOf(event('failed'), { ...context, clusterName: () => 'prod-eu' });
  expect(message.workload.clusterName).toBe('prod-eu');
  expect(message.text).toMatch(/^\S+ in \S+ \(prod-eu\): /);
});
