import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type ComparedFigure } from '@/bench/compare';
import { type Metric } from '@/bench/support/figure';

/** A table of the report. */
export interface Section {
  title: string;
  /** How it was measured, in a sentence or two. */
  how: string;
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

const path = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

/** Figures of this build, with their targets. */
export function measurementOf(title: string, how: string, figures: readonly Metric[]): Section {
  const rows = figures.map(({ what, value, aim }) => [
    what,
    value,
    aim === undefined ? '' : `${aim.text}${aim.met ? '' : ' **(missed)**'}`,
  ]);
  return { title, how, head: ['', 'measured', 'target'], rows };
}

/** This build against that of another commit. */
export function comparisonOf(hash: string, figures: readonly ComparedFigure[]): Section {
  return {
    title: `Against ${hash.slice(0, 8)}`,
    how: `Both builds in turns on one cluster: medians of the rounds, and of their ratios. The spread is the middle half of the ratios of ${hash.slice(0, 8)} to itself, one round to the next. What lies within it is no difference.`,
    head: ['', 'ratio', 'spread', 'verdict', 'this build', hash.slice(0, 8)],
    rows: figures.map(({ what, ratio, spread, verdict, own, other }) => [
      what,
      ratio,
      spread,
      verdict,
      own,
      other,
    ]),
  };
}

/** The table of a section, in Markdown. */
export function tableOf({ head, rows }: Section): string {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Rewrites docs/performance.md. */
export function writeReport(sections: readonly Section[], date: Date): void {
  const commit = execFileSync('git', ['-C', path.replace(/[^/]+$/, ''), 'rev-parse', '--short=8', 'HEAD']);
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  writeFileSync(
    path,
    `# Performance

Written by \`npm run bench -- --write\` on ${date.toISOString().slice(0, 10)} at ${commit.toString().trim()}: ${cpus().length} cores,
${gigabytes} GB of memory, Node ${process.versions.node}, a load of ${loadavg()
      .map((load) => load.toFixed(1))
      .join(', ')} in the last 1, 5, and 15 minutes. Everything runs on
that one machine in the same run: the API server, etcd, kubectl, Shiplog's production build, and the browser share its
cores, so ratios are more meaningful than milliseconds. A target that is missed is marked.

${sections.map((section) => `## ${section.title}\n\n${section.how}\n\n${tableOf(section)}`).join('\n\n')}
`,
  );
}
