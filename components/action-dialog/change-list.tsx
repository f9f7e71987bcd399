'use client';

import { useState } from 'react';
import { ChangeMark } from '@/components/shared/change-mark';
import { ChangedValue } from '@/components/ui/changed-value';
import { changedWords, type ComparedPart } from '@/components/ui/changed-words';
import { RelatedChangeLine, RevertedRolloutLine } from '@/components/shared/related-change-line';
import { Glyph } from '@/components/ui/glyph';
import type { ChangeItem, Diff } from '@/lib/api/diff';
import { formatCount } from '@/lib/format/text';

/** More than this moves the checks out of view; a press shows the rest. */
const SHOWN_MAX = 12;

/** Longer values are cut in a row of this list; the comparison shows them in full. */
const VALUE_LENGTH_MAX = 160;

/** The changes of a template in one line each, in the order of the comparison. */
export function ChangeList({ diff }: { diff: Diff }) {
  const [isExpanded, setExpanded] = useState(false);
  const { changes } = diff;
  const shown = isExpanded || changes.length <= SHOWN_MAX + 2 ? changes : changes.slice(0, SHOWN_MAX);
  const hidden = changes.length - shown.length;
  const several = new Set(changes.flatMap(({ container }) => container ?? [])).size > 1;
  if (changes.length === 0) return <p className="border-t border-line pt-2 text-ink-2">{emptyText(diff)}</p>;
  return (
    <>
      {diff.reverts && <RevertedRolloutLine opensNewTab reverted={diff.reverts} className="pb-1.5" />}
      {diff.echoNote && <p className="pb-1.5 text-small text-ink-2">{diff.echoNote}</p>}
      <ul className="border-t border-line">
        {shown.map((change, index) => (
          <Row key={`${change.path} ${index}`} change={change} reverted={diff.reverts} several={several} />
        ))}
        {hidden > 0 && (
          <li className="border-b border-hair">
            <button
              type="button"
              onClick={() => setExpanded(true)}
              className="min-h-[29px] w-full pl-[25px] text-small text-accent hover:underline max-desk:min-h-11"
            >
              and {hidden} more
            </button>
          </li>
        )}
      </ul>
    </>
  );
}

function Row({
  change,
  reverted,
  several,
}: {
  change: ChangeItem;
  reverted: Diff['reverts'];
  several: boolean;
}) {
  return (
    <li className="grid min-h-[29px] grid-cols-[16px_162px_minmax(0,1fr)] items-center gap-x-[9px] border-b border-hair py-[3px] text-small max-desk:min-h-[34px] max-desk:grid-cols-[16px_126px_minmax(0,1fr)]">
      <ChangeMark kind={change.kind} />
      <span
        className="line-clamp-2 text-[12.5px]/[16px] font-medium [overflow-wrap:anywhere]"
        title={fullName(change)}
      >
        {several && change.container !== null && (
          <span className="font-normal text-ink-3">{change.container} </span>
        )}
        {change.label}
      </span>
      <Value change={change} />
      <RelatedChangeLine
        opensNewTab
        change={change.echo}
        reverted={reverted}
        className="col-start-2 col-end-4 pb-0.5"
      />
      {change.risk && (
        <span className="col-start-2 col-end-4 inline-flex items-baseline gap-1 pb-0.5 text-degraded">
          <Glyph name="degraded" size={11} className="self-center" /> {change.risk.reason}
        </span>
      )}
    </li>
  );
}

function Value({ change }: { change: ChangeItem }) {
  const { kind, beforeText, afterText } = change;
  if (kind === 'removed') {
    return (
      <code className="min-w-0 truncate text-removed line-through" title={truncate(beforeText)}>
        {truncate(beforeText)}
      </code>
    );
  }
  if (kind === 'added') {
    return (
      <code className="min-w-0 truncate text-ink-2" title={truncate(afterText)}>
        {truncate(afterText)}
      </code>
    );
  }
  const before = truncate(beforeText);
  const after = truncate(afterText);
  const parts = kind === 'changed' ? withoutCommonStart(changedWords(before, after), change.concern) : null;
  return (
    <span
      className="-ml-[3px] flex min-w-0 flex-wrap items-center gap-x-[5px]"
      title={`${before} → ${after}`}
    >
      <code className={code}>{parts ? <ChangedValue side="before" parts={parts.before} /> : before}</code>
      <Glyph name="arrow" size={11} className="text-ink-3" />
      <span className="sr-only">to</span>
      <code className={code}>{parts ? <ChangedValue side="after" parts={parts.after} /> : after}</code>
    </span>
  );
}

const code = 'max-w-full truncate rounded-1 px-[3px] py-px text-[11.5px] text-ink-2';

/** In a narrow row a long common prefix hides the difference. */
const COMMON_LENGTH_MAX = 14;

/** Drops the repository before a tag, and of another long common prefix all but its last word: `…flags-`. */
function withoutCommonStart(
  { before, after }: { before: ComparedPart[]; after: ComparedPart[] },
  concern: ChangeItem['concern'],
) {
  const start = before[0];
  if (!start || start.changed || before.length < 2 || after.length < 2) return { before, after };
  if (concern === 'image' && /[:@]$/.test(start.text))
    return { before: before.slice(1), after: after.slice(1) };
  if (start.text.length <= COMMON_LENGTH_MAX) return { before, after };
  const shortened = {
    text: `…${/[^\s/:\-@,;=]*[\s/:\-@,;=]*$/.exec(start.text)?.[0].slice(-COMMON_LENGTH_MAX) ?? ''}`,
    changed: false,
  };
  return { before: [shortened, ...before.slice(1)], after: [shortened, ...after.slice(1)] };
}

function truncate(text: string | null): string {
  if (text === null) return 'not set';
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

function fullName({ container, label, path }: ChangeItem): string {
  return `${container === null ? '' : `${container}: `}${label}\n${path}`;
}

function emptyText(diff: Diff): string {
  return diff.equal ? 'Nothing: both templates mean the same.' : diff.summary;
}

/** "9 changes", "1 change". */
export function countChanges({ changes, tooLarge }: Diff): string {
  if (tooLarge !== null) return `${tooLarge.toLocaleString('en-US')} changes`;
  return formatCount(changes.length, 'change');
}

/** The heading of a section of the dialog with a muted remark. */
export function PartHead({
  title,
  remark,
  end,
}: {
  title: React.ReactNode;
  remark?: React.ReactNode;
  end?: React.ReactNode;
}) {
  return (
    <div className="mb-1.5 flex flex-wrap items-baseline gap-x-2">
      <h3 className="font-medium">{title}</h3>
      {remark && <span className="text-small text-ink-3">{remark}</span>}
      {end && <span className="ml-auto text-small">{end}</span>}
    </div>
  );
}
