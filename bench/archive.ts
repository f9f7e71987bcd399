import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import {
  CLUSTER,
  createRandom,
  fillArchive,
  idOf,
  nameOf,
  namespaces,
  NOW_MS,
  people,
  RECORDS,
  SAMPLES_EACH,
} from '@/bench/support/archive-records';
import { shareOfRecording, shareWithoutRecording } from '@/bench/archive-recording';
import { atMost, count, type Metric, kilobytes, milliseconds, plain, times } from '@/bench/support/figure';
import type { BenchEnvironment } from '@/bench/support/environment';
import { durationMs, median, quantile, type Spent, spentOn } from '@/bench/support/statistics';
import { reportQuerySchema } from '@/lib/api/reports';
import { timelineQuerySchema } from '@/lib/api/timeline';
import { startPostgres } from '@/scripts/postgres.mjs';
import { FakeCluster } from '@/server/actions/testing/fake-cluster';
import type { Archive } from '@/server/archive/archive';
import { type ArchiveOptions, openArchive, openDatabase } from '@/server/archive/open';
import type { ArchivedPage } from '@/server/archive/reports';
import type { RecordQuery } from '@/server/archive/record-query';
import { Keys } from '@/server/shared/keys';
import type { ReadContext } from '@/server/views/context';
import { readFleetTimeline } from '@/server/reads/fleet-timeline';
import { readRecord } from '@/server/reads/records';
import { readReport } from '@/server/reads/report';
import { oneCluster } from '@/server/reads/testing/one-cluster';
import { processViewer } from '@/server/shared/testing/viewers';

const SEARCHES = 600;
const RECORD_PAGES = 300;
const TIMELINES = 200;
const DENSITIES = 30;
const REPORTS = 5;
const DAY_MS = 86_400_000;

const viewer = processViewer('bench');

/** Records of a year on each available engine, and what recording costs. */
export async function measureArchive(environment: BenchEnvironment): Promise<Metric[]> {
  environment.log('  50 rollouts a minute without a recorder …');
  const withoutRecording = await shareWithoutRecording();
  return [
    ...(await measureSqlite(environment, withoutRecording)),
    ...(await measurePostgres(environment, withoutRecording)),
  ];
}

async function measureSqlite(environment: BenchEnvironment, withoutRecording: number): Promise<Metric[]> {
  const folder = mkdtempSync(join(tmpdir(), 'shiplog-bench-archive-'));
  try {
    return await measureEngine(
      environment,
      'SQLite',
      { databaseUrl: undefined, dataDir: folder },
      withoutRecording,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function measurePostgres(environment: BenchEnvironment, withoutRecording: number): Promise<Metric[]> {
  const server = await startPostgres();
  if (server === undefined) {
    environment.log('  PostgreSQL was not found: its figures are left out.');
    return [plain('PostgreSQL', 'not found')];
  }
  try {
    return await measureEngine(
      environment,
      'PostgreSQL',
      { databaseUrl: server.url, dataDir: '' },
      withoutRecording,
    );
  } finally {
    await server.stop();
  }
}

async function measureEngine(
  environment: BenchEnvironment,
  name: string,
  options: ArchiveOptions,
  withoutRecording: number,
): Promise<Metric[]> {
  const archive = await openArchive(options);
  try {
    environment.log(`  writing ${count(RECORDS)} records to ${name} …`);
    const fillMs = await durationMs(() => fillArchive(archive));
    await tidy(options);
    const bytes = await archive.sizeBytes();
    environment.log(`  reading from ${name} …`);
    const reading = await readingFigures(name, archive);
    environment.log(`  recording 50 rollouts a minute to ${name} …`);
    const figures = [
      ...reading,
      plain(
        `${name}: on disk per record, templates and ${SAMPLES_EACH} samples included`,
        kilobytes(bytes / RECORDS),
      ),
      plain(
        `${name}: writing all of them`,
        `${milliseconds(fillMs)}, ${(fillMs / RECORDS).toFixed(2)} ms each`,
      ),
      ...(await shareOfRecording(name, archive, withoutRecording)),
    ];
    // The benchmark takes long, so it prints its progress.
    for (const { what, value } of figures) environment.log(`    ${what}: ${value}`);
    return figures;
  } finally {
    await archive.close();
  }
}

/** A PostgreSQL server does this by itself, though only some minutes later. */
async function tidy(options: ArchiveOptions): Promise<void> {
  const { engine, db } = await openDatabase(options);
  if (engine === 'postgres') await sql`vacuum analyze`.execute(db);
  await db.destroy();
}

/** Of a full archive. */
async function readingFigures(name: string, archive: Archive): Promise<Metric[]> {
  const context = contextOver(archive);
  const { all: searches, slowest } = await timeSearches(archive);
  const pages = await timed(RECORD_PAGES, (round) =>
    readRecord(oneCluster(context, viewer), recordId(round)),
  );
  const alone = await timed(RECORD_PAGES, (round) => archive.rollouts.byId(recordId(round)));
  const windows = await timed(TIMELINES, (round) => timelineWindow(context, round));
  const wide = await timed(DENSITIES, () => timeline(context, { from: '365d' }));
  const densities = await timed(DENSITIES, () => timeline(context, { parts: '240', limit: '0' }));
  const reports = await timed(REPORTS, (round) => monthReport(context, round));
  const rollouts = await timed(REPORTS, (round) => rolloutsOfReport(archive, round));
  return [
    atMost(
      `${name}: search, p99 of ${count(SEARCHES)} of many kinds`,
      quantile(searches.map(wallOf), 0.99),
      50,
      milliseconds,
    ),
    plain('… p50; processor time p50, p99', medians(searches)),
    plain('… the slowest kind, with its median', slowest),
    atMost(`${name}: a record page, p99`, quantile(pages.map(wallOf), 0.99), 10, milliseconds),
    plain('… p50; processor time p50, p99', medians(pages)),
    plain('… against reading its record alone, processor time', ratio(pages, alone)),
    plain(`${name}: timeline, a window of hours, p50; processor time p50, p99`, medians(windows)),
    plain('… of the whole year, 500 of all', medians(wide)),
    plain('… starts per interval, over the whole year', medians(densities)),
    atMost(`${name}: report of a month, processor time`, median(reports.map(cpuOf)), 150, milliseconds),
    plain('… p50; processor time p50, p99', medians(reports)),
    plain('… against reading its rollouts alone, processor time', ratio(reports, rollouts)),
  ];
}

/** The queries of the pages, each time with other words. */
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

const clusters = [{ cluster: CLUSTER, scopes: null }];

/** Every third one also requests a page far back. */
async function timeSearches(archive: Archive): Promise<{ all: Spent[]; slowest: string }> {
  const roll = createRandom(7);
  const names = Object.keys(kinds);
  const spent = new Map<string, Spent[]>(names.map((name) => [name, []]));
  for (const name of names) await archive.rollouts.search({ clusters, limit: 50, ...kinds[name]?.(roll) });
  for (let round = 0; round < SEARCHES; round += 1) {
    const name = names[round % names.length] ?? '';
    const query: RecordQuery = { clusters, limit: 50, ...kinds[name]?.(roll) };
    const cursor = round % 3 === 0 ? cursorAt(NOW_MS - roll(350) * DAY_MS) : null;
    spent.get(name)?.push(await spentOn(() => archive.rollouts.search({ ...query, cursor })));
  }
  const [slowest] = [...spent]
    .map(([name, each]) => ({ name, ms: median(each.map(wallOf)) }))
    .sort((one, other) => other.ms - one.ms);
  return {
    all: [...spent.values()].flat(),
    slowest: `${slowest?.name} ${milliseconds(slowest?.ms ?? NaN)}`,
  };
}

/** A cursor to a later page. */
function cursorAt(ms: number): string {
  return Buffer.from(JSON.stringify([ms, 0, ''])).toString('base64url');
}

function recordId(round: number): string {
  const roll = createRandom(round + 11);
  return idOf(roll(2_000), 1 + roll(50));
}

function timelineWindow(context: ReadContext, round: number): Promise<unknown> {
  const roll = createRandom(round + 23);
  const toMs = NOW_MS - roll(360) * DAY_MS;
  const from = new Date(toMs - ([1, 3, 12][roll(3)] ?? 1) * 3_600_000).toISOString();
  return timeline(context, { from, to: new Date(toMs).toISOString() });
}

function timeline(context: ReadContext, query: object): Promise<unknown> {
  return readFleetTimeline(oneCluster(context, viewer), timelineQuerySchema.parse(query));
}

function monthReport(context: ReadContext, round: number): Promise<unknown> {
  const toMs = NOW_MS - round * 30 * DAY_MS;
  const period = { from: new Date(toMs - 30 * DAY_MS).toISOString(), to: new Date(toMs).toISOString() };
  return readReport(oneCluster(context, viewer), reportQuerySchema.parse(period));
}

/** The reads of such a report: its month and the eleven before. */
async function rolloutsOfReport(archive: Archive, round: number): Promise<void> {
  const sinceMs = NOW_MS - (round + 12) * 30 * DAY_MS;
  let before: ArchivedPage['next'] = null;
  do {
    const page: ArchivedPage = await archive.reports.rollouts({
      cluster: CLUSTER,
      sinceMs,
      namespaces: null,
      before,
      limit: 2_000,
    });
    before = page.next;
  } while (before !== null);
}

function contextOver(archive: Archive): ReadContext {
  const cluster = new FakeCluster();
  Object.defineProperty(cluster, 'identity', { value: { ...cluster.identity, id: CLUSTER } });
  const keys = new Keys(Buffer.alloc(32, 7));
  return {
    cluster,
    keys,
    archive,
    config: { links: [] },
    now: () => NOW_MS,
  } as unknown as ReadContext;
}

/** After some warm-up rounds, like a server that has run for a while. */
async function timed(rounds: number, work: (round: number) => Promise<unknown>): Promise<Spent[]> {
  for (let round = rounds; round < rounds * 1.2; round += 1) await work(round);
  const spent: Spent[] = [];
  for (let round = 0; round < rounds; round += 1) spent.push(await spentOn(() => work(round)));
  return spent;
}

function medians(spent: readonly Spent[]): string {
  const cpu = spent.map(cpuOf);
  const wall = milliseconds(median(spent.map(wallOf)));
  return `${wall}; ${milliseconds(median(cpu))}, ${milliseconds(quantile(cpu, 0.99))}`;
}

/** Of sums: the processor's clock is too coarse for one short read. */
function ratio(one: readonly Spent[], other: readonly Spent[]): string {
  const [ours, theirs] = [one, other].map((spent) => spent.reduce((sum, { cpuMs }) => sum + cpuMs, 0));
  return times((ours ?? NaN) / (theirs ?? NaN));
}

function wallOf({ wallMs }: Spent): number {
  return wallMs;
}

function cpuOf({ cpuMs }: Spent): number {
  return cpuMs;
}
