import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Archive } from '@/server/archive/archive';
import { type Lease, LEASE_MS } from '@/server/archive/lease';
import { openArchive } from '@/server/archive/open';
import { enginesUnderTest, type TestDatabase } from '@/server/archive/testing/engines';
import { sampleIncarnation, sampleRecord, sampleRecording } from '@/server/archive/testing/samples';
import type { Clock } from '@/server/shared/clock';
import { Keys } from '@/server/shared/keys';
import { createLogger } from '@/server/shared/log';
import { NotificationDispatcher } from '@/server/notifications/dispatcher';
import { messageOf } from '@/server/notifications/message';
import { createSender, type Send } from '@/server/notifications/send';
import { type Receiver, startReceiver } from '@/server/notifications/testing/receiver';
import { noWebhooks, type WebhookTarget, webhookTargets } from '@/server/shared/webhooks';

const { engines, stop } = await enginesUnderTest();
afterAll(stop);

const keys = new Keys(Buffer.alloc(32, 7));
const incarnation = sampleIncarnation();
const DAY_MS = 86_400_000;
/** For tests in which the time of the event does not matter. */
const NOW_MS = Date.parse(sampleRecord(incarnation, 1).startedAt ?? '');

/** A sleep ends at once, but only the test advances the clock. */
class IdleClock implements Clock {
  #now = NOW_MS;

  now(): number {
    return this.#now;
  }

  pass(ms: number): void {
    this.#now += ms;
  }

  async sleep(_ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await nextTurn();
  }
}

describe.each(engines)('on $engine', ({ createDatabase: makePlace }) => {
  let place: TestDatabase;
  let archive: Archive;
  let lease: Lease;
  let clock: IdleClock;
  let receivers: Receiver[];
  let dispatchers: NotificationDispatcher[];
  let sender: ReturnType<typeof createSender>;
  let said: string;

  beforeEach(async () => {
    place = await makePlace();
    archive = await openArchive(place);
    clock = new IdleClock();
    lease = (await archive.leases.acquire('one', clock.now(), 'prod')) as Lease;
    receivers = [];
    dispatchers = [];
    sender = createSender(500);
    said = '';
  });
  afterEach(async () => {
    await Promise.all(dispatchers.map((dispatcher) => dispatcher.stop()));
    await sender.close();
    await Promise.all(receivers.map((receiver) => receiver.close()));
    await archive.close();
    await place.remove();
  });

  async function receiver(...answers: Parameters<typeof startReceiver>): Promise<Receiver> {
    const started = await startReceiver(...answers);
    receivers.push(started);
    return started;
  }

  function targetsOf(...urls: string[]): WebhookTarget[] {
    return webhookTargets.parse(urls);
  }

  /** Records a rollout that has begun, with its notice. */
  async function record(targets: readonly WebhookTarget[], ...indexes: number[]): Promise<void> {
    const notices = indexes.map((index) => {
      const about = { reason: null, revertedBy: null, review: null };
      const rollout = sampleRecord(incarnation, index);
      const id = `${rollout.id}.started`;
      const event = { ...about, id, kind: 'started', at: rollout.startedAt ?? '', record: rollout } as const;
      const payload = JSON.stringify(
        messageOf(event, { mask: keys.mask, publicUrl: undefined, sandbox: false, clusterName: () => null }),
      );
      return {
        id,
        cluster: 'prod',
        kind: 'started',
        atMs: clock.now(),
        payload,
        targets: targets.map((target) => target.id),
      };
    });
    await archive.record(lease, [{ ...sampleRecording(incarnation, 1), notices }], clock.now());
  }

  function start(
    targets: readonly WebhookTarget[],
    held: () => readonly Lease[] = () => [lease],
    send: Send = sender.send,
  ) {
    const dispatcher = new NotificationDispatcher({
      webhooks: { ...noWebhooks, targets },
      outbox: () => archive.outbox,
      leases: held,
      send,
      log: createLogger({ level: 'info', write: (line) => (said += line) }),
      clock,
      random: () => 0.5,
    });
    dispatchers.push(dispatcher);
    dispatcher.start();
    return dispatcher;
  }

  const idsOf = ({ received }: Receiver) => received.map(({ headers }) => headers['shiplog-event-id']);
  const until = (condition: () => boolean) => vi.waitUntil(condition, { timeout: 8_000, interval: 5 });
  const stateOf = async (target?: WebhookTarget) =>
    (await archive.outbox.states()).find((state) => state.target === target?.id);

  test('what waits goes to the address that replaces another under its name', async () => {
    const [old, next] = [await receiver(500), await receiver(200)];
    const before = targetsOf(`oncall=${old.url}`);
    await record(before, 1);
    const first = start(before);
    await until(() => first.counts.failed === 1);
    await first.stop();
    start(targetsOf(`oncall=${next.url}`, `slack+${next.url}`));
    clock.pass(3_600_000);
    await until(() => next.received.length === 1);
    expect(idsOf(next)).toEqual(idsOf(old));
  });

  test('rejects two addresses of one name', () => {
    const twice = ['a=https://x.example', 'a=https://y.example'];
    expect(webhookTargets.safeParse(twice).error?.message).toContain('two entries with the name of number 2');
  });

  test('retries what failed with growing pauses until it is accepted, and then no more', async () => {
    const flaky = await receiver(500, 503, 'silent', 200);
    const targets = targetsOf(flaky.url);
    await record(targets, 1);
    const dispatcher = start(targets);
    const waits: number[] = [];
    for (let failures = 1; failures <= 3; failures += 1) {
      await until(() => dispatcher.counts.failed === failures);
      expect(await archive.outbox.due(['prod'], targets[0]?.id ?? '', clock.now(), 1)).toStrictEqual([]);
      const begin = clock.now();
      while (dispatcher.counts.failed === failures && dispatcher.counts.delivered === 0) {
        clock.pass(1_000);
        await nextTurn();
        if ((await archive.outbox.due(['prod'], targets[0]?.id ?? '', clock.now(), 1)).length > 0) break;
      }
      waits.push(clock.now() - begin);
    }
    await until(() => dispatcher.counts.delivered === 1);
    expect(waits).toStrictEqual([5_000, 10_000, 20_000]);
    expect(idsOf(flaky)).toStrictEqual(Array(4).fill('uid-cart.1.started'));
    expect(await stateOf(targets[0])).toMatchObject({ waiting: 0, delivered: 1, failingSinceMs: null });
    expect(said).toContain('***');
    expect(said).not.toContain('s3cret');
  });

  test('a process that is killed while it sends leaves the rest, and the same event, to the next', async () => {
    const slow = await receiver('silent', 200);
    const targets = targetsOf(slow.url);
    await record(targets, 1, 2);
    const killed = start(targets);
    await until(() => slow.received.length === 1);
    await killed.stop();
    await archive.close();
    archive = await openArchive(place);
    start(targets);
    await until(() => slow.received.length === 3);
    expect(idsOf(slow)).toStrictEqual(['uid-cart.1.started', 'uid-cart.1.started', 'uid-cart.2.started']);
  });

  test('a target that is away delays no other, and is not tried again for each notice that waits', async () => {
    const [dead, well] = [await receiver('silent'), await receiver(204)];
    const targets = targetsOf(dead.url, well.url);
    await record(targets, 1, 2, 3, 4);
    const dispatcher = start(targets);
    await until(() => dispatcher.counts.delivered === 4 && dispatcher.counts.failed === 1);
    expect(idsOf(well)).toStrictEqual([1, 2, 3, 4].map((index) => `uid-cart.${index}.started`));
    expect(dead.received).toHaveLength(1);
    expect(await stateOf(targets[0])).toMatchObject({
      waiting: 4,
      failingSinceMs: NOW_MS,
      lastError: 'No response within 0.5 s.',
    });
  });

  test('abandons a notice after a day, and reports it', async () => {
    const broken = await receiver(500);
    const targets = targetsOf(broken.url);
    await record(targets, 1);
    const dispatcher = start(targets);
    await until(() => dispatcher.counts.failed === 1);
    clock.pass(DAY_MS);
    await until(() => dispatcher.counts.givenUp === 1);
    expect(await stateOf(targets[0])).toMatchObject({
      waiting: 0,
      givenUp: 1,
      lastError: 'Status 500.',
    });
    expect(said).toContain('was dropped');
  });

  test('only the process that records delivers', async () => {
    const good = await receiver(200);
    const targets = targetsOf(good.url);
    await record(targets, 1);
    const second = await openArchive(place);
    try {
      let held: Lease | null = null;
      const standby = start(targets, () => (held === null ? [] : [held]));
      clock.pass(2 * LEASE_MS);
      held = await second.leases.acquire('two', clock.now(), 'prod');
      await until(() => standby.counts.delivered === 1);
      const outdated = start(targets);
      await archive.record(held as Lease, [sampleRecording(incarnation, 2)], clock.now());
      await expect(record(targets, 3)).rejects.toMatchObject({ code: 'conflict' });
      expect(outdated.counts).toStrictEqual({ delivered: 0, failed: 0, givenUp: 0 });
    } finally {
      await second.close();
    }
    expect(good.received).toHaveLength(1);
  });
});
