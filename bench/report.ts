import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { ComparedFigure } from '@/bench/compare';
import type { Metric } from '@/bench/support/figure';

/** A table of the report. */
interface Table {
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

/** One measurement in the report. */
export interface Section {
  title: string;
  /** How it was measured, in a sentence or two. */
  how: string;
  tables: readonly Table[];
}

const path = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

/** Figures of this build, with their targets. */
export function measurementTable(figures: readonly Metric[]): Table {
  const rows = figures.map(({ what, value, aim }) => [
    what,
    value,
    aim === undefined ? '' : `${aim.text}${aim.met ? '' : ' **(missed)**'}`,
  ]);
  return { head: ['', 'measured', 'target'], rows };
}

/** This build against that of another commit. */
export function comparisonTable(hash: string, figures: readonly ComparedFigure[]): Table {
  return {
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

/** In Markdown. */
export function formatTable({ head, rows }: Table): string {
  const widths = head.map((name, column) =>
    Math.max(3, name.length, ...rows.map((row) => row[column]?.length ?? 0)),
  );
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
}

/** Writes these sections into docs/performance.md, whose sections have these titles in this order. */
export function writeReport(sections: readonly Section[], titles: readonly string[], date: Date): void {
  const [, ...known] = readFileSync(path, 'utf8').split(/^## /m);
  const texts = new Map(known.map((text) => [text.slice(0, text.indexOf('\n')), `## ${text.trimEnd()}`]));
  const commit = execFileSync('git', ['-C', path.replace(/[^/]+$/, ''), 'rev-parse', '--short=8', 'HEAD']);
  const loads = loadavg().map((load) => load.toFixed(1));
  const when = `On ${date.toISOString().slice(0, 10)} at ${commit.toString().trim()}, with a load of ${loads.join(', ')} in the last 1, 5, and 15 minutes.`;
  for (const { title, how, tables } of sections)
    texts.set(title, [`## ${title}`, how, when, ...tables.map(formatTable)].join('\n\n'));
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  writeFileSync(
    path,
    `# Performance

Written by \`npm run bench -- --write\`: ${cpus().length} cores, ${gigabytes} GB of memory, Node ${process.versions.node}. Everything runs on
that one machine in the same run: the API server, etcd, kubectl, Shiplog's production build, and the browser share its
cores, so ratios are more meaningful than milliseconds. A target that is missed is marked.

A table of ratios compares two builds in turns on one cluster: medians of the rounds, and of their ratios. The spread is the
middle half of the ratios of the other build to itself, one round to the next. What lies within it is no difference.

${titles.flatMap((title) => texts.get(title) ?? []).join('\n\n')}
`,
  );
}
