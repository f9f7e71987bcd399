import { type Change, type TemplateDiff } from '@/lib/diff/change';

const SIGNS: Readonly<Record<Change['kind'], string>> = {
  added: '+',
  removed: '−',
  changed: '~',
  moved: '↕',
};

/**
 * The diff as Markdown for a chat or a ticket: title, sentence, one table per container and one for the pod, risks.
 * Everything that comes from the cluster is quoted, so that it stays text.
 */
export function diffMarkdown(title: string, diff: TemplateDiff): string {
  const parts = [`### ${plain(title)}`, `${plain(diff.summary)}.`];
  if (diff.explanation !== null) parts.push(plain(diff.explanation));
  for (const [container, changes] of groupByContainer(diff.changes)) {
    const heading = container === null ? '**Pod**' : `**Container** ${code(container)}`;
    parts.push(`${heading}\n\n${tableOf(changes)}`);
  }
  return `${parts.join('\n\n')}\n`;
}

function groupByContainer(changes: readonly Change[]): Map<string | null, Change[]> {
  return Map.groupBy(changes, (change) => change.container);
}

function tableOf(changes: readonly Change[]): string {
  const rows = changes.map((change) => {
    const known = [change.risk === null ? '' : `⚠ ${plain(change.risk.reason)}`, plain(change.note ?? '')];
    return row([
      SIGNS[change.kind],
      plain(change.label),
      cell(change.beforeText),
      cell(change.afterText),
      known.filter(Boolean).join('; '),
    ]);
  });
  return [
    row(['', 'Field', 'Before', 'After', 'What to know']),
    row(['-', '-', '-', '-', '-']),
    ...rows,
  ].join('\n');
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

function cell(text: string | null): string {
  return text === null ? 'not set' : code(text);
}

/** A code span whose fence is longer than any run of backticks inside; bars would end the cell. */
function code(text: string): string {
  const line = oneLine(text).replaceAll('|', '\\|');
  const runs = line.match(/`+/g) ?? [];
  const fence = '`'.repeat(1 + Math.max(0, ...runs.map((run) => run.length)));
  const pad = runs.length > 0 || line.trim() === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`;
}

function plain(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>#|~@!]/g, '\\$&');
}

function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, ' ⏎ ');
}
