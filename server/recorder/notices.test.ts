import { afterEach, beforeEach, expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { at, template } from '@/lib/workloads/testing/objects';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { deployment, replicaSetOf } from '@/server/actions/testing/shop';
import { type Recording } from '@/server/archive/archive';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { Keys } from '@/server/keys';
import { silentLogger } from '@/server/log';
import { Notices } from '@/server/notifications/notices';
import { noWebhooks, type WebhookTarget } from '@/server/notifications/webhooks';
import { Summaries } from '@/server/reads/summaries';
import { deriveView } from '@/server/reads/view';
import { Recorder } from '@/server/recorder/recorder';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';

const keys = new Keys(Buffer.alloc(32, 7));
const target: WebhookTarget = { id: 't', url: 'https://x.example/', format: 'json', label: 'x' };

/** Notes what is told with which records. */
class TellingArchive extends MemoryArchive {
  readonly told: string[] = [];
  isAway = false;

  override async record(...given: Parameters<MemoryArchive['record']>): Promise<void> {
    if (this.isAway) throw new AppError('archive_unavailable', 'away', { retry: true });
    await super.record(...given);
    const [, recordings] = given;
    this.told.push(...recordings.flatMap(toldIn));
  }
}

function toldIn({ records, notices = [] }: Recording): string[] {
  const numbers = records.map(({ to }) => to.number).join();
  return notices.map(({ kind }) => `${kind} with ${numbers}`);
}

let clock: VirtualClock;
let cluster: FakeCluster;
let archive: TellingArchive;
let recorders: Recorder[];

beforeEach(async () => {
  clock = new VirtualClock();
  cluster = new FakeCluster();
  archive = new TellingArchive();
  recorders = [];
  await clock.advance(Date.parse(at(0)) - clock.now());
});
afterEach(async () => {
  for (const recorder of recorders) await stop(recorder);
});

async function start(): Promise<Recorder> {
  const notices = new Notices(
    { ...noWebhooks, targets: [target] },
    { keys, publicUrl: undefined, sandbox: false },
  );
  const recorder = new Recorder({
    cluster,
    archive,
    keys,
    summaries: new Summaries(keys),
    view: (workload) => deriveView(cluster, workload, clock.now()),
    actionsOf: () => [],
    relatedTo: () => [],
    retention: { days: 0, perWorkload: 0 },
    noticesOf: (before, records, nowMs) => notices.ofRollouts(before, records, nowMs),
    log: silentLogger,
    clock,
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

/** Revision `last` is the target, with so many of two pods ready. */
async function show(last: number, ready: number, body = template(String(last))): Promise<void> {
  for (let number = 1; number <= last; number += 1) {
    const isTarget = number === last;
    cluster.put(replicaSetOf(number, isTarget ? body : template(String(number)), isTarget ? 2 : 0));
  }
  cluster.put(deployment(body, { generation: last, updated: 2, ready, total: 2 }));
  await clock.advance(60_000);
}

test('nothing is told of what is found, and of each rollout after it once, with its record', async () => {
  await show(2, 2);
  await start();
  await clock.advance(60_000);
  expect(archive.told).toStrictEqual([]);
  await show(3, 0);
  await show(3, 2);
  expect(archive.told).toStrictEqual(['started with 3']);
});

test('whoever takes over tells nothing again', async () => {
  await show(1, 2);
  const first = await start();
  await show(2, 0);
  await stop(first);
  await start();
  await show(2, 2);
  expect(archive.told).toStrictEqual(['started with 2']);
});

test('what could not be recorded is told once it can be', async () => {
  await show(1, 2);
  await start();
  archive.isAway = true;
  await show(2, 0);
  expect(archive.told).toStrictEqual([]);
  archive.isAway = false;
  await show(2, 2);
  expect(archive.told).toStrictEqual(['started with 2']);
});
