'use client';

import { useState } from 'react';
import { ChangeMark } from '@/components/shared/change-mark';
import { ChangedValue } from '@/components/ui/changed-value';
import { changedWords } from '@/components/ui/changed-words';
import { RelatedChangeLine, RevertedRolloutLine } from '@/components/shared/related-change-line';
import { Glyph } from '@/components/ui/glyph';
import { SectionHead } from '@/components/ui/section-head';
import { useShownRows } from '@/components/ui/use-shown-rows';
import { Tag } from '@/components/ui/tag';
import { Discussion } from '@/components/records/discussion';
import type { ChangeItem, Diff } from '@/lib/api/diff';
import type { RecordAnswer } from '@/lib/api/records';
import { formatCount } from '@/lib/format/text';

/** Longer values are cut here; the comparison shows them in full. */
const VALUE_LENGTH_MAX = 120;

/** What the rollout changed, one line per change, with its comments. */
export function RecordChanges({
  record,
  comparison,
}: {
  record: RecordAnswer;
  comparison: ((diff: Diff) => React.ReactNode) | undefined;
}) {
  const { diff, diffNote } = record;
  const [whole, setWhole] = useState(false);
  const several = new Set(diff?.changes.flatMap(({ container }) => container ?? [])).size > 1;
  return (
    <section aria-labelledby="changes-title" className="pt-5">
      <SectionHead
        id="changes-title"
        title="Changes"
        remark={diff === null ? undefined : remarkOf(diff)}
        className="pb-1.5"
        end={
          comparison && diff !== null && diff.changes.length > 0 ? (
            <button
              type="button"
              aria-expanded={whole}
              onClick={() => setWhole(!whole)}
              className="rounded-2 text-accent hover:underline"
            >
              {whole ? 'Show summary' : 'Show full comparison'}
            </button>
          ) : undefined
        }
      />
      {diff?.reverts && <RevertedRolloutLine reverted={diff.reverts} className="pb-2" />}
      {diff?.echoNote && <p className="pb-2 text-small text-ink-2">{diff.echoNote}</p>}
      {diff === null ? (
        <p className="border-t border-line pt-2 text-ink-2">
          {record.from !== null && <span className="block text-ink">{record.summary}</span>}
          {diffNote}
        </p>
      ) : diff.changes.length === 0 ? (
        <p className="border-t border-line pt-2 text-ink-2">{diff.summary}</p>
      ) : whole && comparison ? (
        comparison(diff)
      ) : (
        <ChangeLines record={record} changes={diff.changes} several={several} />
      )}
    </section>
  );
}

function ChangeLines({
  record,
  changes,
  several,
}: {
  record: RecordAnswer;
  changes: readonly ChangeItem[];
  several: boolean;
}) {
  const { shown, more } = useShownRows(changes);
  return (
    <>
      <ul className="border-t border-line">
        {shown.map((change, index) => (
          <ChangeLine key={`${change.path} ${index}`} record={record} change={change} several={several} />
        ))}
      </ul>
      {more}
    </>
  );
}

function ChangeLine({
  record,
  change,
  several,
}: {
  record: RecordAnswer;
  change: ChangeItem;
  /** More than one container changed, so each is named. */
  several: boolean;
}) {
  const count = record.review.comments.filter(({ path }) => path === change.path).length;
  const [open, setOpen] = useState(false);
  const isOpen = open || count > 0;
  return (
    <li className="border-b border-hair">
      <div className="flex min-h-[33px] flex-wrap items-center gap-x-[9px] gap-y-0.5 py-1">
        <ChangeMark kind={change.kind} />
        <b className="min-w-[132px] [overflow-wrap:anywhere] max-desk:min-w-0" title={change.path}>
          {several && change.container !== null && (
            <span className="font-normal text-ink-3">{change.container} </span>
          )}
          {change.label}
        </b>
        <Values change={change} />
        <span className="ml-auto flex items-center gap-2">
          {change.risk && (
            <Tag tone="risk" glyph="degraded" className="max-desk:h-auto! max-desk:whitespace-normal!">
              {change.risk.reason}
            </Tag>
          )}
          <button
            type="button"
            aria-expanded={isOpen}
            aria-label={`Comments on ${change.label}: ${count}`}
            onClick={() => setOpen(!open)}
            className="inline-flex h-[22px] items-center gap-[5px] rounded-2 px-[7px] text-small text-ink-3 hover:bg-hover hover:text-ink max-desk:h-9"
          >
            <Glyph name="note" size={12} />
            {count > 0 && count}
          </button>
        </span>
      </div>
      <RelatedChangeLine
        change={change.echo}
        reverted={record.diff?.reverts ?? null}
        className="pb-1.5 pl-[25px]"
      />
      {isOpen && (
        <div className="pb-2.5 pl-[25px]">
          <Discussion record={record} path={change.path} open={open} />
        </div>
      )}
    </li>
  );
}

function Values({ change }: { change: ChangeItem }) {
  const before = cut(change.beforeText);
  const after = cut(change.afterText);
  if (before === null && after === null) return null;
  if (after === null) {
    return <code className="[overflow-wrap:anywhere] text-removed line-through">{before}</code>;
  }
  if (before === null) return <code className="[overflow-wrap:anywhere] text-ink-2">{after}</code>;
  // The value of a redaction marker is not part of the change: none of it has changed.
  const isMasked = after.endsWith('(masked)');
  const whole = (text: string) => [{ text, changed: false }];
  const parts = isMasked ? { before: whole(before), after: whole(after) } : changedWords(before, after);
  return (
    <span className="inline-flex min-w-0 flex-wrap items-center gap-x-1.5">
      <code className="[overflow-wrap:anywhere] text-ink-2">
        <ChangedValue side="before" parts={parts.before} />
      </code>
      <Glyph name="arrow" size={12} className="text-ink-3" />
      <span className="sr-only">to</span>
      <code className="[overflow-wrap:anywhere] text-ink-2">
        <ChangedValue side="after" parts={parts.after} />
      </code>
    </span>
  );
}

function cut(text: string | null): string | null {
  return text !== null && text.length > VALUE_LENGTH_MAX ? `${text.slice(0, VALUE_LENGTH_MAX)}…` : text;
}

function remarkOf({ changes, tooLarge }: Diff): string {
  if (tooLarge !== null) return `${tooLarge.toLocaleString('en-US')} changes`;
  const risks = changes.filter(({ risk }) => risk !== null).length;
  return [formatCount(changes.length, 'change'), risks > 0 && formatCount(risks, 'risk')]
    .filter((part) => part !== false)
    .join(', ');
}
