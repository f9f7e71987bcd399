'use client';

import { clsx } from 'clsx';
import { useState } from 'react';
import { ChangeMark } from '@/components/shared/change-mark';
import { ChangedValue } from '@/components/ui/changed-value';
import { changedWords } from '@/components/ui/changed-words';
import { RelatedChangeLine } from '@/components/shared/related-change-line';
import { Tag } from '@/components/ui/tag';
import type { Concern } from '@/lib/api/diff-values';
import { concernLabels, fieldName, fieldPath } from '@/components/diff/group-changes';
import type { ChangeItem, RevertedRolloutsItem } from '@/lib/api/diff';

const cellClass =
  'border-b border-hair py-[7px] pr-4 align-top max-desk:block max-desk:border-0 max-desk:p-0 max-desk:pl-[25px]';

/** One change in the table of a comparison: field, before, after, notes. A block of lines on a phone. */
export function ChangeRow({
  change,
  reverted,
  withRemarks,
  concern,
  first,
  current,
  rowRef,
  onFocus,
}: {
  change: ChangeItem;
  /** The earlier change that the whole comparison reverts. */
  reverted: RevertedRolloutsItem | null;
  /** The table has the column of risks and notes. */
  withRemarks: boolean;
  concern: Concern;
  /** Only the first change of a concern shows the concern. */
  first: boolean;
  current: boolean;
  rowRef: (element: HTMLTableRowElement | null) => void;
  onFocus: () => void;
}) {
  return (
    <tr
      role="row"
      ref={rowRef}
      tabIndex={current ? 0 : -1}
      onFocus={onFocus}
      className="scroll-mt-[120px] scroll-mb-[60px] hover:bg-hover focus-visible:-outline-offset-2 max-desk:block max-desk:border-b max-desk:border-hair max-desk:py-2"
    >
      <th
        role="rowheader"
        scope="row"
        className={clsx(cellClass, 'text-start text-small leading-5 font-normal text-ink-3 max-desk:sr-only')}
      >
        <span className={first ? undefined : 'sr-only'}>{concernLabels[concern]}</span>
      </th>
      <td role="cell" className={clsx(cellClass, 'max-desk:pl-0!')}>
        <div className="flex gap-[9px]">
          <ChangeMark kind={change.kind} className="mt-0.5" />
          <span className="min-w-0 [overflow-wrap:anywhere]">
            <b className="block">{fieldName(change)}</b>
            <code className="block text-[11px]/[15px] text-ink-3">{fieldPath(change.path)}</code>
          </span>
        </div>
      </td>
      <ValueCell change={change} side="before" />
      <ValueCell change={change} side="after" />
      {withRemarks && (
        <td role="cell" className={clsx(cellClass, 'text-small leading-5 text-ink-2 desk:pr-0!')}>
          <Remarks change={change} reverted={reverted} />
        </td>
      )}
    </tr>
  );
}

function Remarks({ change, reverted }: { change: ChangeItem; reverted: RevertedRolloutsItem | null }) {
  return (
    <>
      {change.risk && (
        <Tag tone="risk" glyph="degraded" className="h-auto! min-h-5 py-px leading-[18px] whitespace-normal!">
          {change.risk.reason}
        </Tag>
      )}
      {change.note !== null && (
        <span className={clsx('block [overflow-wrap:anywhere]', change.risk && 'mt-0.5')}>{change.note}</span>
      )}
      <RelatedChangeLine
        change={change.echo}
        reverted={reverted}
        {...((change.risk || change.note !== null) && { className: 'mt-0.5' })}
      />
    </>
  );
}

function ValueCell({ change, side }: { change: ChangeItem; side: 'before' | 'after' }) {
  const text = side === 'before' ? change.beforeText : change.afterText;
  if (text === null) {
    return (
      <td role="cell" className={clsx(cellClass, 'text-ink-3 max-desk:hidden')}>
        Not set
      </td>
    );
  }
  return (
    <td role="cell" className={cellClass}>
      <span className="sr-only">{side}: </span>
      <code
        className={clsx(
          '-ml-1 rounded-1 box-decoration-clone px-1 py-px leading-5 [overflow-wrap:anywhere] whitespace-pre-wrap',
          valueClass(change.kind, side),
        )}
      >
        <LongText text={text}>
          {(shown) =>
            change.kind === 'changed' ? <HighlightedValue change={change} side={side} shown={shown} /> : shown
          }
        </LongText>
      </code>
    </td>
  );
}

function HighlightedValue({
  change,
  side,
  shown,
}: {
  change: ChangeItem;
  side: 'before' | 'after';
  shown: string;
}) {
  const parts = changedWords(change.beforeText ?? '', change.afterText ?? '')[side];
  return <ChangedValue side={side} parts={clipParts(parts, shown.length)} />;
}

function clipParts<Part extends { text: string }>(parts: readonly Part[], length: number): Part[] {
  let left = length;
  return parts.flatMap((part) => {
    const text = part.text.slice(0, left);
    left -= text.length;
    return text === '' ? [] : [{ ...part, text }];
  });
}

function valueClass(kind: ChangeItem['kind'], side: 'before' | 'after'): string {
  if (kind === 'removed' && side === 'before')
    return 'bg-removed-soft text-removed line-through decoration-[color-mix(in_oklch,var(--removed)_45%,transparent)]';
  if (kind === 'added' && side === 'after') return 'bg-added-soft text-added';
  return 'text-ink-2';
}

/** About eight lines of a column: a script or a certificate must not push the next change out of view. */
const SHOWN_LENGTH = 400;

/** A value that may be very long: its start, and the rest on request. `children` draws the visible text. */
function LongText({ text, children }: { text: string; children: (shown: string) => React.ReactNode }) {
  const [isExpanded, setExpanded] = useState(false);
  if (isExpanded || text.length <= SHOWN_LENGTH * 1.2) return children(text);
  return (
    <>
      {children(text.slice(0, SHOWN_LENGTH))}…{' '}
      <button
        type="button"
        onClick={() => setExpanded(true)}
        className="font-sans text-small text-accent no-underline hover:underline"
      >
        Show all {text.length.toLocaleString('en')} characters
      </button>
    </>
  );
}
