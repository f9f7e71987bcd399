import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  allRecordings,
  CLUSTER,
  dice,
  idOf,
  nameOf,
  namespaces,
  NOW_MS,
  people,
  RECORDS,
  SAMPLES_EACH,
} from '@/bench/archive-records';
import { shareOfRecording } from '@/bench/archive-recording';
import { atMost, count, type Figure, kilobytes, milliseconds, plain } from '@/bench/figure';
import { type Stage } from '@/bench/stage';
import { durationMs, median, quantile } from '@/bench/statistics';
import { reportQuerySchema } from '@/lib/api/reports';
import { timelineQuerySchema } from '@/lib/api/timeline';
import { startPostgres } from '@/scripts/postgres.mjs';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import { type Archive, type Lease, type Recording, type RecordQuery } from '@/server/archive/archive';
import { openArchive } from '@/server/archive/open';
import { Keys } from '@/server/keys';
import { type ReadContext } from '@/server/reads/context';
import { readFleetTimeline } from '@/server/reads/fleet-timeline';
import { archiveQuery, readRecord } from '@/server/reads/records';
import { readReport } from '@/server/reads/report';
import { type Viewer } from '@/server/viewer';

const SEARCHES = 600;
const RECORD_PAGES = 300;
const TIMELINES = 200;
const DENSITIES = 30;
const REPORTS = 5;
const BATCH = 25;
const DAY_MS = 86_400_000;

const viewer: Viewer = { id: 'self', name: 'bench', isProcess: true };

/** Records of a year, on each engine that there is, and what recording costs. */
export async function measureArchive(stage: Stage): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'shiplog-bench-archive-'));
  try {
    const sqlite = await openArchive({ databaseUrl: undefined, dataDir: folder });
    const figures = await measureEngine(stage, 'SQLite', sqlite);
    stage.say('  recording 50 rollouts a minute …');
    const recording = await shareOfRecording(sqlite);
    await sqlite.close();
    return [...figures, ...recording, ...(await measurePostgres(stage))];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePostgres(stage: Stage): Promise<Figure[]> {
  const server = await startPostgres();
  if (server === undefined) {
    stage.say('  PostgreSQL was not found: its figures are left out.');
    return [plain('PostgreSQL', 'not found')];
  }
  const archive = await openArchive({ databaseUrl: server.url, dataDir: '' });
  try {
    return await measureEngine(stage, 'PostgreSQL', archive);
  } finally {
    await archive.close();
    await server.stop();
  }
}

async function measureEngine(stage: Stage, name: string, archive: Archive): Promise<Figure[]> {
  stage.say(`  writing ${count(RECORDS)} records to ${name} …`);
  const fillMs = await durationMs(() => fill(archive));
  const { bytes } = await archive.size();
  stage.say(`  reading from ${name} …`);
  const figures = [
    ...(await readingFigures(name, archive)),
    plain(
      `${name}: on disk for each record, templates and ${SAMPLES_EACH} samples included`,
      kilobytes(bytes / RECORDS),
    ),
    plain(
      `${name}: writing all of them`,
      `${milliseconds(fillMs)}, ${(fillMs / RECORDS).toFixed(2)} ms each`,
    ),
  ];
  // The whole takes long: what is known is told.
  for (const { what, value } of figures) stage.say(`    ${what}: ${value}`);
  return figures;
}

/** Of an archive that is full. */
export async function readingFigures(name: string, archive: Archive): Promise<Figure[]> {
  const context = contextOver(archive);
  const searches = await timeSearches(archive);
  const pages = await timed(RECORD_PAGES, (round) => readRecord(context, viewer, recordId(round)));
  const windows = await timed(TIMELINES, (round) => timelineWindow(context, round));
  const wide = await timed(DENSITIES, () => timeline(context, { from: '365d' }));
  const densities = await timed(DENSITIES, () => timeline(context, { parts: '240', limit: '0' }));
  const reports = await timed(REPORTS, (round) => monthReport(context, round));
  const slowest = [...searches.byKind].sort((one, other) => other[1] - one[1])[0];
  return [
    atMost(
      `${name}: search, p99 of ${count(SEARCHES)} of many kinds`,
      quantile(searches.all, 0.99),
      50,
      milliseconds,
    ),
    plain(
      '… p50, and the slowest kind with its median',
      `${milliseconds(median(searches.all))}; ${slowest?.[0]} ${milliseconds(slowest?.[1] ?? NaN)}`,
    ),
    atMost(`${name}: a record page, p99`, quantile(pages, 0.99), 10, milliseconds),
    plain('… p50', milliseconds(median(pages))),
    plain(`${name}: timeline, a window of hours`, both(windows)),
    plain('… of the whole year, 500 of all', both(wide)),
    plain('… how many began when, over the whole year', both(densities)),
    plain(`${name}: report of a month, p50`, milliseconds(median(reports))),
  ];
}

async function fill(archive: Archive): Promise<void> {
  const lease = (await archive.acquire('bench', Date.now())) as Lease;
  let batch: Recording[] = [];
  for (const recording of allRecordings()) {
    batch.push(recording);
    if (batch.length < BATCH) continue;
    await archive.acquire('bench', Date.now());
    await archive.record(lease, batch, Date.now());
    batch = [];
  }
  await archive.release(lease);
}

/** What pages ask, each in turn with other words. */
const kinds: Readonly<Record<string, (roll: (sides: number) => number) => Partial<RecordQuery>>> = {
  latest: () => ({}),
  word: (roll) => ({ words: [['checkout', 'memory', 'roll', 'hol', 'service'][roll(5)] ?? ''] }),
  'two words': (roll) => ({
    words: [['failover', 'cache'][roll(2)] ?? '', ['weekly', 'banner'][roll(2)] ?? ''],
  }),
  'rare word': (roll) => ({ words: [nameOf(roll(2_000))] }),
  'no match': (roll) => ({ words: [`nothing${roll(9)}`] }),
  image: (roll) => ({ image: `${nameOf(roll(2_000))}:1.${roll(50)}` }),
  tag: (roll) => ({ image: `1.${roll(50)}.0` }),
  person: (roll) => ({ actor: people[roll(people.length)] ?? '' }),
  workload: (roll) => ({ name: nameOf(roll(2_000)) }),
  namespace: (roll) => ({ namespaces: [namespaces[roll(namespaces.length)] ?? ''] }),
  outcome: (roll) => ({ outcomes: [(['failed', 'rolledBack', 'open'] as const)[roll(3)] ?? 'failed'] }),
  period: (roll) => ({ sinceMs: NOW_MS - (roll(300) + 10) * DAY_MS, untilMs: NOW_MS - roll(10) * DAY_MS }),
  'word in a period': (roll) => ({ words: ['certificate'], sinceMs: NOW_MS - (roll(300) + 1) * DAY_MS }),
  'word, namespace, outcome': (roll) => ({
    words: ['memory'],
    namespaces: [namespaces[roll(namespaces.length)] ?? ''],
    outcomes: ['failed'],
  }),
  'person, outcome, period': (roll) => ({
    actor: people[roll(people.length)] ?? '',
    outcomes: ['rolledBack'],
    untilMs: NOW_MS - roll(300) * DAY_MS,
  }),
  'not reviewed': () => ({ reviewed: false }),
};

/** Every third one looks at a page far behind as well. */
export async function timeSearches(archive: Archive): Promise<{ all: number[]; byKind: Map<string, number> }> {
  const roll = dice(7);
  const names = Object.keys(kinds);
  const durations = new Map<string, number[]>(names.map((name) => [name, []]));
  for (const name of names) await archive.search({ ...everything, ...kinds[name]?.(roll) });
  for (let round = 0; round < SEARCHES; round += 1) {
    const name = names[round % names.length] ?? '';
    const query: RecordQuery = { ...everything, ...kinds[name]?.(roll) };
    const cursor = round % 3 === 0 ? cursorAt(NOW_MS - roll(350) * DAY_MS) : null;
    durations.get(name)?.push(await durationMs(() => archive.search({ ...query, cursor })));
  }
  return {
    all: [...durations.values()].flat(),
    byKind: new Map([...durations].map(([name, each]) => [name, median(each)])),
  };
}

const everything: RecordQuery = { ...archiveQuery({}, NOW_MS), limit: 50, cursor: null };

/** Where a page ended that somebody has turned to. */
function cursorAt(ms: number): string {
  return Buffer.from(JSON.stringify([ms, 'zzz'])).toString('base64url');
}

function recordId(round: number): string {
  const roll = dice(round + 11);
  return idOf(roll(2_000), 1 + roll(50));
}

function timelineWindow(context: ReadContext, round: number): Promise<unknown> {
  const roll = dice(round + 23);
  const toMs = NOW_MS - roll(360) * DAY_MS;
  const from = new Date(toMs - ([1, 3, 12][roll(3)] ?? 1) * 3_600_000).toISOString();
  return timeline(context, { from, to: new Date(toMs).toISOString() });
}

function timeline(context: ReadContext, query: object): Promise<unknown> {
  return readFleetTimeline(context, viewer, timelineQuerySchema.parse(query));
}

function monthReport(context: ReadContext, round: number): Promise<unknown> {
  const toMs = NOW_MS - round * 30 * DAY_MS;
  const period = { from: new Date(toMs - 30 * DAY_MS).toISOString(), to: new Date(toMs).toISOString() };
  return readReport(context, viewer, reportQuerySchema.parse(period));
}

function contextOver(archive: Archive): ReadContext {
  const cluster = new FakeCluster();
  Object.defineProperty(cluster, 'identity', { value: { ...cluster.identity, id: CLUSTER } });
  const keys = new Keys(Buffer.alloc(32, 7));
  return {
    cluster,
    keys,
    archive,
    config: { links: [], namespaces: [] },
    now: () => NOW_MS,
  } as unknown as ReadContext;
}

async function timed(rounds: number, work: (round: number) => Promise<unknown>): Promise<number[]> {
  await work(rounds);
  const durations: number[] = [];
  for (let round = 0; round < rounds; round += 1) durations.push(await durationMs(() => work(round)));
  return durations;
}

function both(durations: readonly number[]): string {
  return `p50 ${milliseconds(median(durations))}, p99 ${milliseconds(quantile(durations, 0.99))}`;
}
