import { writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Metric } from '@/bench/support/figure';

export interface Section {
  title: string;
  /** How it was measured, in a sentence or two. */
  how: string;
  figures: readonly Metric[];
}

const path = fileURLToPath(new URL('../docs/performance.md', import.meta.url));

/** The sections as a table for a terminal. */
export function tableOf(sections: readonly Section[]): string {
  const rows = sections.flatMap(({ figures }) => figures);
  const widths = [
    Math.max(...rows.map(({ what }) => what.length)),
    Math.max(...rows.map(({ value }) => value.length)),
  ];
  return rows
    .map(({ what, value, aim }) => {
      const verdict = aim === undefined ? '' : `${aim.met ? 'ok    ' : 'MISSED'}  target: ${aim.text}`;
      return `${what.padEnd(widths[0] ?? 0)}  ${value.padEnd(widths[1] ?? 0)}  ${verdict}`.trimEnd();
    })
    .join('\n');
}

/** Rewrites docs/performance.md. */
export function writeReport(sections: readonly Section[], date: Date): void {
  writeFileSync(path, reportOf(sections, date));
}

function reportOf(sections: readonly Section[], date: Date): string {
  return `# Performance

Written by \`npm run bench -- --write\` on ${date.toISOString().slice(0, 10)}: ${machine()}. Everything runs on that one
machine in the same run: the API server, etcd, kubectl, Shiplog's production build, and the browser share its cores, so
ratios are more meaningful than milliseconds. A target that is missed is marked.

${sections.map(sectionOf).join('\n\n')}
`;
}

function sectionOf({ title, how, figures }: Section): string {
  const rows = figures.map(({ what, value, aim }) => [
    what,
    value,
    aim === undefined ? '' : `${aim.text}${aim.met ? '' : ' **(missed)**'}`,
  ]);
  return [`## ${title}`, '', how, '', ...markdownTable([['', 'measured', 'target'], ...rows])].join('\n');
}

function markdownTable(rows: readonly (readonly string[])[]): string[] {
  const widths = [0, 1, 2].map((column) => Math.max(3, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [head, ...body] = rows.map(line);
  return [head ?? '', line(widths.map((width) => '-'.repeat(width))), ...body];
}

function machine(): string {
  const gigabytes = Math.round(totalmem() / 1024 ** 3);
  return `${cpus().length} cores, ${gigabytes} GB of memory, Node ${process.versions.node}`;
}
