// npm run bench [-- name …] [--only name] [--write] Runs all measurements, or those named, and prints a table;
// --write stores it in docs/performance.md.
import { parseArgs } from 'node:util';
import { measureApplicationRevisions } from '@/bench/application-revisions';
import { measureArchive } from '@/bench/archive';
import { type Figure } from '@/bench/support/figure';
import { measureHostile } from '@/bench/hostile/hostile';
import { measureLeaderWorkerSets } from '@/bench/leader-worker-sets';
import { measureLiveUpdate } from '@/bench/live-update';
import { measureMemory } from '@/bench/memory-per-object';
import { measurePageWeight } from '@/bench/page-weight';
import { type Section, tableOf, writeReport } from '@/bench/report';
import { measureRequests } from '@/bench/requests';
import { measureRollouts } from '@/bench/rollouts';
import { measureScrolling } from '@/bench/scrolling';
import { measureDiff } from '@/bench/semantic-diff';
import { BenchEnvironment } from '@/bench/support/environment';
import { measureStartUp } from '@/bench/start-up';

interface Measurement {
  name: string;
  title: string;
  how: string;
  run: (environment: BenchEnvironment) => Promise<Figure[]>;
}

const measurements: readonly Measurement[] = [
  {
    name: 'start',
    title: 'Start',
    how: '2,000 Deployments of ten revisions each, so 22,000 objects and 114 MB of JSON. From the start of the process until `/api/readyz` answers 200, and in turn with it seven sequential calls of kubectl whose output is thrown away. Medians; the ratio is the median of the ratios of neighbours.',
    run: measureStartUp,
  },
  {
    name: 'memory',
    title: 'Memory',
    how: 'The same cluster. Resident memory at rest after a garbage collection, less that of the same server limited to a namespace without workloads.',
    run: measureMemory,
  },
  {
    name: 'requests',
    title: 'Answers',
    how: 'Over HTTP. Each history belongs to another Deployment; the first look derives it, and with 50 at once every one is a first look.',
    run: measureRequests,
  },
  {
    name: 'live',
    title: 'Live',
    how: 'The fleet page is open in Chromium; the image of a Deployment is patched. From the moment before the request is sent until a MutationObserver sees the new image in the document.',
    run: measureLiveUpdate,
  },
  {
    name: 'rollouts',
    title: 'Releases in steps',
    how: 'A cluster of its own: 500 Rollouts of ten steps that each wait at the fourth, over Deployments with 20,000 labelled pods. Over HTTP, one request after the other, every release in turn. An approval is a write of the status; from the moment before it is sent until a MutationObserver sees the row change on the open page of all releases.',
    run: measureRollouts,
  },
  {
    name: 'lws',
    title: 'LeaderWorkerSets',
    how: 'A cluster of its own: 2,000 LeaderWorkerSets of 8 groups of 4 pods, each held at a canary, with their StatefulSets, revisions and 64,000 pods. Over HTTP, one request after the other, every LeaderWorkerSet in turn.',
    run: measureLeaderWorkerSets,
  },
  {
    name: 'diff',
    title: 'Semantic diff',
    how: 'Two templates of 2,000 lines of YAML that differ in images, variables, quantities of equal value and defaults. Warm, median.',
    run: measureDiff,
  },
  {
    name: 'application-revisions',
    title: 'ApplicationRevisions of KubeVela',
    how: 'In this process. One revision whose compressed content is 1 MB, decoded as a page does it: processor time, warm, median; and ten thousand of 30 KB each as they come from the API server, which nobody looks into.',
    run: measureApplicationRevisions,
  },
  {
    name: 'hostile',
    title: 'Hostile objects',
    how: 'What comes in that was made to freeze the server, in this process. The most processor time of the main thread between two turns of its event loop, which everything else has to wait for; not the time of the whole.',
    run: measureHostile,
  },
  {
    name: 'archive',
    title: 'Archive',
    how: 'A year of 2,000 workloads: 100,000 records with their templates and a million pod samples, in this process without HTTP. Searches ask in turn for words, images, people, workloads, namespaces, outcomes, periods, several of them, and pages far behind. Processor time is that of this process, so without that of a PostgreSQL server; it says more than the clock where the machine is busy with something else. Recording: the real recorder on that archive over a cluster in memory in which 50 rollouts of four pods begin every minute, processor time of a minute less that of the same without a recorder.',
    run: measureArchive,
  },
  {
    name: 'weight',
    title: 'Page weight',
    how: 'Cold visits in Chromium. Bytes of all script answers as they travel, of those asked for until the page has loaded and shows its content.',
    run: measurePageWeight,
  },
  {
    name: 'scroll',
    title: 'Scrolling',
    how: 'The same cluster with 8,000 more Deployments. The mouse wheel turns 30 times a second, first down, then up; a PerformanceObserver counts long tasks.',
    run: measureScrolling,
  },
];

const { values, positionals } = parseArgs({
  options: {
    write: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
  },
  allowPositionals: true,
});
const named = [...positionals, ...values.only];

const unknown = named.filter((name) => !measurements.some((measurement) => measurement.name === name));
if (unknown.length > 0) {
  printLine(
    `There is no ${unknown.join(', ')}; there are ${measurements.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(1);
}

if (values.write && named.length > 0) {
  printLine('Only a whole run is written down: leave out the names or --write.');
  process.exit(1);
}

const environment = new BenchEnvironment(printLine);
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void environment.close().finally(() => process.exit(1)));
}
try {
  const sections: Section[] = [];
  for (const { name, title, how, run } of measurements) {
    if (named.length > 0 && !named.includes(name)) continue;
    printLine(`Measuring: ${title.toLowerCase()} …`);
    sections.push({ title, how, figures: await run(environment).catch(failed) });
  }
  process.stdout.write(`\n${tableOf(sections)}\n`);
  if (values.write) writeReport(sections, new Date());
} finally {
  await environment.close();
}
process.exit();

/** A failing measurement must not prevent the others. */
function failed(error: unknown): Figure[] {
  process.exitCode = 1;
  printLine(String(error instanceof Error ? error.stack : error));
  return [{ what: 'This measurement failed', value: 'see above', aim: { text: 'a figure', met: false } }];
}

function printLine(line: string): void {
  process.stderr.write(`${line}\n`);
}
