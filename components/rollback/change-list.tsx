'use client';

import { useState } from 'react';
import { clsx } from 'clsx';
import { ChangeMark } from '@/components/ui/change-mark';
import { ChangedValue } from '@/components/ui/changed-value';
import { changedWords, type Part } from '@/components/ui/changed-words';
import { EchoLine, TakenBackLine } from '@/components/ui/echo-line';
import { Glyph } from '@/components/ui/glyph';
import { type ChangeItem, type Diff } from '@/lib/api/diff';

/** More than this pushes the checks off the screen; the rest is one press away. */
const SHOWN_MAX = 12;

/** Longer values are cut in a row of this list; the comparison shows them whole. */
const VALUE_LENGTH_MAX = 160;

/** The changes of a template in one line each, in the order in which the comparison has them. */
export function ChangeList({ diff }: { diff: Diff }) {
  const [whole, setWhole] = useState(false);
  const { changes } = diff;
  const shown = whole || changes.length <= SHOWN_MAX + 2 ? changes : changes.slice(0, SHOWN_MAX);
  const hidden = changes.length - shown.length;
  const several = new Set(changes.flatMap(({ container }) => container ?? [])).size > 1;
  if (changes.length === 0) return <p className="border-t border-line pt-2 text-ink-2">{nothing(diff)}</p>;
  return (
    <>
      {diff.takesBack && <TakenBackLine beside taken={diff.takesBack} className="pb-1.5" />}
      {diff.echoNote && <p className="pb-1.5 text-small text-ink-2">{diff.echoNote}</p>}
      <ul className="border-t border-line">
        {shown.map((change, index) => (
          <Row key={`${change.path} ${index}`} change={change} taken={diff.takesBack} several={several} />
        ))}
        {hidden > 0 && (
          <li className="border-b border-hair">
            <button
              type="button"
              onClick={() => setWhole(true)}
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

function Row({ change, taken, several }: { change: ChangeItem; taken: Diff['takesBack']; several: boolean }) {
  return (
    <li className="grid min-h-[29px] grid-cols-[16px_162px_minmax(0,1fr)] items-center gap-x-[9px] border-b border-hair py-[3px] text-small max-desk:min-h-[34px] max-desk:grid-cols-[16px_126px_minmax(0,1fr)]">
      <ChangeMark kind={change.kind} />
      <span className="truncate text-[12.5px] font-medium" title={fullName(change)}>
        {several && change.container !== null && (
          <span className="font-normal text-ink-3">{change.container} </span>
        )}
        {change.label}
      </span>
      <Value change={change} />
      <EchoLine beside echo={change.echo} taken={taken} className="col-start-2 col-end-4 pb-0.5" />
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
      <code className="min-w-0 truncate text-removed line-through" title={cut(beforeText)}>
        {cut(beforeText)}
      </code>
    );
  }
  if (kind === 'added') {
    return (
      <code className="min-w-0 truncate text-ink-2" title={cut(afterText)}>
        {cut(afterText)}
      </code>
    );
  }
  const before = cut(beforeText);
  const after = cut(afterText);
  const parts = kind === 'changed' ? onlyWhatDiffers(changedWords(before, after), change.concern) : null;
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

/** A long common start says little in a narrow row. */
const COMMON_LENGTH_MAX = 14;

/** Leaves out the repository before a tag, and of another long common start all but its last word: `…flags-`. */
function onlyWhatDiffers(
  { before, after }: { before: Part[]; after: Part[] },
  concern: ChangeItem['concern'],
) {
  const start = before[0];
  if (!start || start.changed || before.length < 2 || after.length < 2) return { before, after };
  if (concern === 'image' && /[:@]$/.test(start.text))
    return { before: before.slice(1), after: after.slice(1) };
  if (start.text.length <= COMMON_LENGTH_MAX) return { before, after };
  const kept = {
    text: `…${/[^\s/:\-@,;=]*[\s/:\-@,;=]*$/.exec(start.text)?.[0].slice(-COMMON_LENGTH_MAX) ?? ''}`,
    changed: false,
  };
  return { before: [kept, ...before.slice(1)], after: [kept, ...after.slice(1)] };
}

function cut(text: string | null): string {
  if (text === null) return 'not set';
  return text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

function fullName({ container, label, path }: ChangeItem): string {
  return `${container === null ? '' : `${container}: `}${label}\n${path}`;
}

function nothing(diff: Diff): string {
  return diff.equal ? 'Nothing: both templates mean the same.' : diff.summary;
}

/** "9 changes", "1 change". */
export function countChanges({ changes, tooLarge }: Diff): string {
  if (tooLarge !== null) return `${tooLarge.toLocaleString('en-US')} changes`;
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`;
}

/** The heading of a stretch of the dialog with a quiet remark beside it. */
export function StretchHead({
  title,
  remark,
  end,
  className,
}: {
  title: React.ReactNode;
  remark?: React.ReactNode;
  end?: React.ReactNode;
  className?: string;
}) {
  return (
    <div className={clsx('mb-1.5 flex flex-wrap items-baseline gap-x-2', className)}>
      <h3 className="font-medium">{title}</h3>
      {remark && <span className="text-small text-ink-3">{remark}</span>}
      {end && <span className="ml-auto text-small">{end}</span>}
    </div>
  );
}
