import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { at, template } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { deployment, replicaSetOf } from '@/server/actions/testing/shop';
import type { IncarnationRecording } from '@/server/archive/archive';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { Keys } from '@/server/shared/keys';
import { Notices } from '@/server/notifications/notices';
import { noWebhooks, type WebhookTarget } from '@/server/shared/webhooks';
import type { Recorder } from '@/server/recorder/recorder';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';
import { recorderOf } from '@/server/recorder/testing/recorder-of';

const keys = new Keys(Buffer.alloc(32, 7));
const target: WebhookTarget = { id: 't', url: 'https://x.example/', format: 'json', label: 'x' };

/** Collects the notices of each record. */
class NotifyingArchive extends MemoryArchive {
  readonly told: string[] = [];
  isAway = false;

  override async record(...given: Parameters<MemoryArchive['record']>): Promise<void> {
    if (this.isAway) throw new AppError('archive_unavailable', 'away', { retry: true });
    await super.record(...given);
    const [, recordings] = given;
    this.told.push(...recordings.flatMap(noticesIn));
  }
}

function noticesIn({ records, notices = [] }: IncarnationRecording): string[] {
  const numbers = records.map(({ to }) => to.number).join();
  return notices.map(({ kind }) => `${kind} with ${numbers}`);
}

let clock: VirtualClock;
let cluster: FakeCluster;
let archive: NotifyingArchive;
let recorders: Recorder[];

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = new FakeCluster();
  archive = new NotifyingArchive();
  recorders = [];
  await clock.advance(Date.parse(at(0)) - clock.now());
});
afterEach(async () => {
  for (const recorder of recorders) await stop(recorder);
});

async function start(): Promise<Recorder> {
  const notices = new Notices(
    { ...noWebhooks, targets: [target] },
    { mask: keys.mask, publicUrl: undefined, sandbox: false, clusterName: () => null },
  );
  const recorder = recorderOf(cluster, archive, clock, {
    noticesOf: (before, records, nowMs) => notices.ofRollouts(before, records, nowMs),
  });
  recorders.push(recorder);
  recorder.start();
  await clock.advance(1_000);
  return recorder;
}

async function stop(recorder: Recorder): Promise<void> {
  const stopped = recorder.stop();
  await clock.advance(1_000);
  await stopped;
}

/** Revision `last` is the target, with this many of two pods ready. */
async function observe(last: number, ready: number, body = template(String(last))): Promise<void> {
  for (let number = 1; number <= last; number += 1) {
    const isTarget = number === last;
    cluster.put(replicaSetOf(number, isTarget ? body : template(String(number)), isTarget ? 2 : 0));
  }
  cluster.put(deployment(body, { generation: last, updated: 2, ready, total: 2 }));
  await clock.advance(60_000);
}

test('sends no notice of what is found at the start, and one of each later rollout, with its record', async () => {
  await observe(2, 2);
  await start();
  await clock.advance(60_000);
  expect(archive.told).toStrictEqual([]);
  await observe(3, 0);
  await observe(3, 2);
  expect(archive.told).toStrictEqual(['started with 3']);
});

test('a process that takes over sends no notice again', async () => {
  await observe(1, 2);
  const first = await start();
  await observe(2, 0);
  await stop(first);
  await start();
  await observe(2, 2);
  expect(archive.told).toStrictEqual(['started with 2']);
});

test('sends the notice of what could not be recorded once it can be', async () => {
  await observe(1, 2);
  await start();
  archive.isAway = true;
  await observe(2, 0);
  expect(archive.told).toStrictEqual([]);
  archive.isAway = false;
  await observe(2, 2);
  expect(archive.told).toStrictEqual(['started with 2']);
});
