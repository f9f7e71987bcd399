// npm run bench [-- name …] [--against commit] [--write] Runs all measurements, or those named, and prints a table;
// `page` are those of the pages. --against measures the build of another commit in turns with this one, and compares
// them. --write stores them in docs/performance.md.
import { parseArgs } from 'node:util';
import { measureApplicationRevisions } from '@/bench/application-revisions';
import { compare, medianOf } from '@/bench/compare';
import { measureArchive } from '@/bench/archive';
import type { Metric } from '@/bench/support/figure';
import { measureClusters } from '@/bench/clusters';
import { measureHostile } from '@/bench/hostile/hostile';
import { measureJunk } from '@/bench/junk';
import { measureLeaderWorkerSets } from '@/bench/leader-worker-sets';
import { measureLiveUpdate } from '@/bench/live-update';
import { measureMemory } from '@/bench/memory-per-object';
import { measurePageWeight } from '@/bench/page-weight';
import { comparisonTable, formatTable, measurementTable, type Section, writeReport } from '@/bench/report';
import { measureRequests } from '@/bench/requests';
import { measureRollouts } from '@/bench/rollouts';
import { measureScrolling } from '@/bench/scrolling';
import { measureDiff } from '@/bench/semantic-diff';
import { BenchEnvironment } from '@/bench/support/environment';
import { buildOf, hashOf } from '@/bench/support/other-build';
import { measureStartUp } from '@/bench/start-up';
import { measureViewers } from '@/bench/viewers';

interface Measurement {
  name: string;
  /** Names several together. */
  group?: 'page';
  title: string;
  how: string;
  /**
   * How many rounds it has, of which the medians count. Only of what measures a server on the shared cluster without a
   * change to the cluster: any build can take its turn.
   */
  rounds?: number;
  run: (environment: BenchEnvironment) => Promise<Metric[]>;
}

const measurements: readonly Measurement[] = [
  {
    name: 'start',
    title: 'Start',
    how: '2,000 Deployments of ten revisions each, so 22,000 objects and 114 MB of JSON. From the start of the process until `/api/readyz` answers 200, and alternating with it, seven sequential kubectl calls whose output is discarded. Medians of five rounds. What a start takes longer than that of d7a05b9, 0.2 s of 3.1 s, is mostly the code of more features (40 ms), the bound on how deep an answer may be nested (40 ms), and indexes for the objects of more controllers (25 ms).',
    rounds: 5,
    run: measureStartUp,
  },
  {
    name: 'memory',
    title: 'Memory',
    how: 'The same cluster. Resident memory at rest after a garbage collection, once the archive has everything, minus that of a server with a new archive that is limited to a namespace without workloads. Medians of five rounds. Larger than in d7a05b9 is what the recorder knows of a template: its meaning, 0.1 KB per object, by which a return to an earlier template is recognized however that is written.',
    rounds: 5,
    run: measureMemory,
  },
  {
    name: 'requests',
    title: 'Answers',
    how: 'Over HTTP. Each history belongs to a different Deployment; the first request derives it, and with 50 at once every one is a first request. Processor time is that of a warm server, over all of its threads, per request. Medians of twelve rounds. A first history takes longer than in d7a05b9 by the records that it shows, which are read from the archive, inflated, and parsed, and by the masking of their texts.',
    rounds: 12,
    run: measureRequests,
  },
  {
    name: 'live',
    title: 'Live',
    how: 'The Workloads page is open in Chromium; the image of a Deployment is patched. Time from just before the request until a MutationObserver sees the new image in the document.',
    run: measureLiveUpdate,
  },
  {
    name: 'rollouts',
    title: 'Progressive rollouts',
    how: 'A cluster of its own: 500 Rollouts of ten steps that each wait at the fourth, over Deployments with 20,000 labeled pods. Over HTTP, one request at a time, every rollout in turn. An approval is a write of the status; measured from just before it until a MutationObserver sees the row change on the open Rollouts page.',
    run: measureRollouts,
  },
  {
    name: 'lws',
    title: 'LeaderWorkerSets',
    how: 'A cluster of its own: 2,000 LeaderWorkerSets of 8 groups of 4 pods, each held at a canary, with their StatefulSets, revisions and 64,000 pods. Over HTTP, one request at a time, every LeaderWorkerSet in turn.',
    run: measureLeaderWorkerSets,
  },
  {
    name: 'clusters',
    title: 'Clusters',
    how: 'Five sandboxes of 400 Deployments with ten revisions and three pods each, in processes of their own. Resident memory at rest after a garbage collection. Two fail: one does not answer at all, the other after ten seconds. Over HTTP, one request at a time; the ratios are medians of five runs, with and without those failures in turn.',
    run: measureClusters,
  },
  {
    name: 'viewers',
    title: 'Viewers',
    how: 'A sandbox of 2,000 namespaces with a Deployment each, and people whom a proxy signs in. 500 of them can list everything and have an event stream open each; one can list 83 namespaces. Lists are requested one at a time, each by another person, and by the same one in turn with it. Processor time is that of the Shiplog process, over all of its threads, from a change of 200 Deployments until every stream has it; medians of several such changes, with 500 streams and with one. Reviews are counted by the API server.',
    run: measureViewers,
  },
  {
    name: 'junk',
    title: 'Junk credentials',
    how: 'A control plane of its own with 100 Deployments. 300 tokens a second that no one has, from 200 addresses, and 5,000 cookies that no one has, for 15 s. The list is requested one at a time, before, meanwhile, and after; the ratio is of the same run.',
    run: measureJunk,
  },
  {
    name: 'diff',
    title: 'Semantic diff',
    how: 'Two templates of 2,000 lines of YAML that differ in images, variables, quantities of equal value and defaults. Warm, median.',
    run: measureDiff,
  },
  {
    name: 'application-revisions',
    title: 'KubeVela ApplicationRevisions',
    how: 'In this process. One revision with 1 MB of compressed content, decoded as for a page: processor time, warm, median; and 10,000 of 30 KB each as they arrive from the API server, not decoded.',
    run: measureApplicationRevisions,
  },
  {
    name: 'hostile',
    title: 'Hostile objects',
    how: 'Input made to freeze the server, in this process. The longest processor time of the main thread between two turns of its event loop, during which everything else waits; not the total time.',
    run: measureHostile,
  },
  {
    name: 'archive',
    title: 'Archive',
    how: 'A year of 2,000 workloads: 100,000 records with their templates and a million pod samples, in this process without HTTP. Searches alternate between words, images, people, workloads, namespaces, outcomes, periods, combinations of them, and late pages. Processor time is that of this process, without a PostgreSQL server; it is more reliable than elapsed time on a busy machine. Recording: the real recorder on that archive over a cluster in memory in which 50 rollouts of four pods start every minute; processor time of a minute minus that of the same minute without a recorder.',
    run: measureArchive,
  },
  {
    name: 'weight',
    group: 'page',
    title: 'Page weight',
    how: 'Cold visits in Chromium. Transferred bytes of all scripts requested until the page has loaded and shows its content.',
    run: measurePageWeight,
  },
  {
    name: 'scroll',
    group: 'page',
    title: 'Scrolling',
    how: 'The same cluster with 8,000 more Deployments, once the archive has them. The mouse wheel turns 30 times per second, down and then up. A trace of the browser has the tasks of the main thread of the page: by the processor time of that thread, because everything shares the cores, and by elapsed time.',
    run: measureScrolling,
  },
];

const { values, positionals } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    against: { type: 'string' },
  },
  allowPositionals: true,
});
const namesOf = ({ name, group }: Measurement) => (group === undefined ? [name] : [name, group]);
const isNamed = (measurement: Measurement) =>
  positionals.length === 0 || namesOf(measurement).some((name) => positionals.includes(name));
const names = measurements.flatMap(namesOf);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0)
  end(`There is no ${unknown.join(', ')}; there are ${[...new Set(names)].join(', ')}.`);
const comparable = measurements.filter(({ rounds }) => rounds !== undefined);
const compared = values.against === undefined ? [] : comparable.filter(isNamed);
if (values.against !== undefined && compared.length === 0)
  end(`Other builds can be compared by ${comparable.map(({ name }) => name).join(', ')}.`);
// With --against alone, only what can be compared is measured.
const chosen = values.against === undefined || values.write ? measurements.filter(isNamed) : compared;

const environment = new BenchEnvironment(printLine);
const environments = [environment];
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void closeAll().finally(() => process.exit(1)));
}
try {
  const other = values.against === undefined ? undefined : await openOther(hashOf(values.against));
  const sections: Section[] = [];
  for (const measurement of chosen) {
    printLine(`Measuring: ${measurement.title.toLowerCase()} …`);
    const { title, how } = measurement;
    sections.push({ title, how, tables: await tablesOf(measurement, other).catch(failed) });
  }
  process.stdout.write(`\n${sections.flatMap(({ tables }) => tables.map(formatTable)).join('\n\n')}\n`);
  const titles = measurements.map(({ title }) => title);
  if (values.write) writeReport(sections, titles, new Date());
} finally {
  await closeAll();
}
process.exit();

/** Another build with the cluster of this one. */
interface Other {
  hash: string;
  environment: BenchEnvironment;
}

async function openOther(hash: string): Promise<Other> {
  printLine(`Building ${hash}, unless it was built before …`);
  const other = environment.beside(await buildOf(hash));
  environments.unshift(other);
  return { hash, environment: other };
}

async function tablesOf(measurement: Measurement, other: Other | undefined): Promise<Section['tables']> {
  const { run, rounds } = measurement;
  if (other === undefined || rounds === undefined) return [measurementTable(await inRounds(measurement))];
  const { figures, own } = await compare(run, rounds, environment, other.environment);
  return [measurementTable(own), comparisonTable(other.hash, figures)];
}

async function inRounds({ run, rounds = 1 }: Measurement): Promise<Metric[]> {
  const found: Metric[][] = [];
  while (found.length < rounds) found.push(await run(environment));
  return medianOf(found);
}

async function closeAll(): Promise<void> {
  for (const each of environments) await each.close();
}

function end(message: string): never {
  printLine(message);
  process.exit(1);
}

/** A failing measurement must not prevent the others. */
function failed(error: unknown): Section['tables'] {
  process.exitCode = 1;
  printLine(String(error instanceof Error ? error.stack : error));
  const aim = { text: 'a figure', met: false };
  return [measurementTable([{ what: 'This measurement failed', value: 'see above', aim }])];
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
