import type { ChangeItem, Diff } from '@/lib/api/diff';
import { cutEnd } from '@/lib/format/text';
import { groupChanges, groupLabels } from '@/components/diff/group-changes';

/** A cell longer than this makes a table unreadable in a ticket or a chat. */
const CELL_LENGTH_MAX = 200;

/**
 * The comparison for a ticket or a chat: heading, sentence, one table per container. Values from the cluster are
 * literal.
 */
export function diffToMarkdown(
  diff: Diff,
  workload: { namespace: string; name: string },
  url: string,
): string {
  const lines = [
    `### ${plain(workload.name)}: ${plain(diff.from.label)} → ${plain(diff.to.label)}`,
    '',
    `${plain(`${workload.namespace}/${workload.name}`)}: ${plain(diff.summary)}. [Compare](${url})`,
  ];
  if (diff.reverts) lines.push('', `${plain(diff.reverts.sentence)}.`);
  if (diff.explanation) lines.push('', plain(diff.explanation));
  for (const group of groupChanges(diff.changes)) {
    const title =
      `${groupLabels[group.kind ?? 'pod']} ${group.container ? literal(group.container) : ''}`.trimEnd();
    lines.push(
      '',
      `**${title}**`,
      '',
      `| | Field | ${plain(diff.from.label)} | ${plain(diff.to.label)} | |`,
      '|-|-|-|-|-|',
    );
    for (const concern of group.concerns) lines.push(...concern.changes.map(row));
  }
  return `${lines.join('\n')}\n`;
}

const kindSigns: Record<ChangeItem['kind'], string> = { added: '+', removed: '−', changed: '~', moved: '↕' };

function row(change: ChangeItem): string {
  const cells = [
    kindSigns[change.kind],
    plain(change.label),
    value(change.beforeText),
    value(change.afterText),
    [change.risk && `⚠ ${plain(change.risk.reason)}`, change.echo && plain(change.echo.sentence)]
      .filter(Boolean)
      .join('; '),
  ];
  return `| ${cells.join(' | ')} |`;
}

function value(text: string | null): string {
  return text === null ? 'not set' : literal(text);
}

/** A code span that ends where it should, whatever its content, and does not break its cell. */
function literal(text: string): string {
  const line = cutEnd(text.replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ⏎ '), CELL_LENGTH_MAX);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = '`'.repeat(longest + 1);
  const pad = longest > 0 || line.trim() === '' ? ' ' : '';
  return `${fence}${pad}${line}${pad}${fence}`.replaceAll('|', '\\|');
}

/** Text with all Markdown escaped. */
function plain(text: string): string {
  return cutEnd(text.replace(/\s+/g, ' '), CELL_LENGTH_MAX).replace(/[\\`*_{}[\]<>#|!~&]/g, '\\$&');
}
