'use client';

import { memo } from 'react';
import { clsx } from 'clsx';
import { IconButton } from '@/components/ui/button';
import { MomentText } from '@/components/ui/moment-text';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { RowHead, Td, Tr } from '@/components/ui/table';
import { type RevisionPair } from '@/components/revisions/revision-pair';
import {
  ActiveFor,
  CauseCell,
  ChangeCell,
  templateExpiredText,
  FormerNumbers,
  LiveCell,
  OutcomeCell,
  TEXT_LENGTH_MAX,
  ChangedByCell,
} from '@/components/revisions/revision-cells';
import { type RowWidth } from '@/components/revisions/revision-columns';
import { type RevisionItem } from '@/lib/api/revisions';
import { type RolloutSummary } from '@/lib/api/records';
import { type Span } from '@/lib/timeline/span';
import { type Moment } from '@/lib/format/moment';
import { type WorkloadState } from '@/lib/api/workload-values';
import { formatRevision } from '@/lib/history/revision';

/** The actions of a row; a stable reference while the page is open. */
export interface RowActions {
  onPair: (change: Partial<RevisionPair>) => void;
  onPoint: (revisionId: string | null) => void;
  onSelect: (revisionId: string) => void;
  onRollback: (revisionId: string) => void;
}

/**
 * One revision: chosen or not, live or not, what changed, change cause, changed by, since when, and the outcome of
 * its rollout. Memoized: a history may have hundreds of rows.
 */
export const RevisionRow = memo(function RevisionRow({
  revision,
  version,
  active,
  span,
  record,
  state,
  writer,
  isDeleted,
  duplicateLabel,
  againstLabel,
  side,
  choosable,
  current,
  pointed,
  actions,
  blocked,
  width,
}: {
  revision: RevisionItem;
  /** Of its images, the parts that differ from its neighbors. */
  version: string;
  active: Moment;
  span: Span | null;
  /** The rollout of its last activation. */
  record: RolloutSummary | null;
  state: WorkloadState | undefined;
  writer: RevisionItem['writer'];
  /** Its workload is deleted. */
  isDeleted: boolean;
  duplicateLabel: string | null;
  /** The revision that its change is relative to; null where that is the row below. */
  againstLabel: string | null;
  /** The side of the comparison that it is chosen for. */
  side: 'from' | 'to' | null;
  choosable: boolean;
  current: boolean;
  pointed: boolean;
  actions: RowActions;
  /** Why nothing can be rolled back; null when it can. */
  blocked: string | null;
  width: RowWidth;
}) {
  const label = formatRevision(revision);
  const versions = version.split(', ');
  const isDim = !revision.live && side === null;
  const { unreadable } = revision;
  const hasTemplate = unreadable === undefined && (revision.archived?.hasTemplate ?? true);
  const refusal = revision.fault ?? (hasTemplate ? blocked : (unreadable ?? templateExpiredText));
  return (
    <Tr
      current={current}
      chosen={side !== null || pointed}
      data-revision={revision.id}
      onPointerEnter={() => actions.onPoint(revision.id)}
      onPointerLeave={() => actions.onPoint(null)}
      onClick={(event) => isClickOnRow(event) && actions.onSelect(revision.id)}
      className={clsx(
        'scroll-my-20 max-desk:grid max-desk:grid-cols-[auto_minmax(0,1fr)_auto] max-desk:gap-x-2.5 max-desk:gap-y-px max-desk:py-2.5',
        (side !== null || current) && 'max-desk:bleed',
      )}
    >
      <Td className="pl-1.5 max-desk:hidden">
        {choosable && (
          <>
            <Choice
              side="from"
              label={label}
              checked={side === 'from'}
              disabled={!hasTemplate}
              onChoose={() => actions.onPair({ from: revision.id })}
            />
            <Choice
              side="to"
              label={label}
              checked={side === 'to'}
              disabled={!hasTemplate}
              onChoose={() => actions.onPair({ to: revision.id })}
            />
          </>
        )}
      </Td>
      <RowHead>
        <span className="inline-flex items-center gap-1.5 max-desk:h-5">
          <span
            className={clsx(
              'font-mono text-code tracking-[-0.02em]',
              revision.retained ? 'font-medium' : 'text-ink-2',
            )}
            title={revision.name}
          >
            {label}
          </span>
          <FormerNumbers revision={revision} />
        </span>
      </RowHead>
      <Td className="text-small max-desk:[grid-area:2/1/3/3]">
        <LiveCell revision={revision} state={state} isDeleted={isDeleted} brief={width === 'slim'} />
      </Td>
      {width !== 'slim' && (
        <Td
          title={revision.images
            .map(({ container, image }) => `${container}: ${image}`)
            .join('\n')
            .slice(0, TEXT_LENGTH_MAX)}
          className={clsx(
            'literal max-desk:[grid-area:1/2]',
            isDim && 'text-ink-3',
            versions.length > 1 && 'desk:whitespace-normal',
          )}
        >
          {versions.map((one) => (
            <MiddleEllipsis key={one} text={one} className="mr-1.5" />
          ))}
        </Td>
      )}
      <Td className="text-ink-2 max-desk:col-span-full max-desk:[grid-row:3] max-desk:whitespace-normal">
        <ChangeCell revision={revision} duplicateLabel={duplicateLabel} againstLabel={againstLabel} />
      </Td>
      {width === 'wide' && (
        <Td>
          <CauseCell revision={revision} record={record} dim={isDim} />
        </Td>
      )}
      {(width === 'wide' || width === 'phone') && (
        <Td
          className={clsx(
            'text-small max-desk:col-span-full max-desk:[grid-row:4] max-desk:text-ink-2',
            record?.actor == null && 'max-desk:hidden',
          )}
        >
          <ChangedByCell record={record} writer={writer} />
        </Td>
      )}
      <Td className="text-small max-desk:[grid-area:1/3] max-desk:text-end">
        <MomentText
          moment={active}
          className={active.kind === 'at' && !isDim ? 'text-ink-2' : 'text-ink-3'}
        />
      </Td>
      {width !== 'narrow' && width !== 'slim' && (
        <Td numeric className="text-small text-ink-2 max-desk:hidden">
          {span && <ActiveFor span={span} open={revision.target && !isDeleted} />}
        </Td>
      )}
      <Td className="text-small max-desk:[grid-area:2/3] max-desk:text-end">
        <OutcomeCell record={record} withDuration={width === 'wide'} />
      </Td>
      <Td
        className={clsx(
          'overflow-visible text-end',
          current ? 'max-desk:col-span-full max-desk:text-start' : 'max-desk:hidden',
        )}
      >
        {(isDeleted || !revision.target) && (
          <IconButton
            glyph="back"
            label={`Roll back… to revision ${label}${refusal === null ? '' : `: ${refusal}`}`}
            aria-disabled={refusal === null ? undefined : true}
            onClick={() => refusal === null && actions.onRollback(revision.id)}
            className={clsx(
              'size-6! rounded-2! max-desk:mt-1.5 max-desk:size-11! max-desk:rounded-3! max-desk:border max-desk:border-line-2',
              refusal === null ? 'group-hover/row:text-ink' : 'opacity-40',
            )}
          />
        )}
      </Td>
    </Tr>
  );
});

function Choice({
  side,
  label,
  checked,
  disabled,
  onChoose,
}: {
  side: 'from' | 'to';
  label: string;
  checked: boolean;
  disabled: boolean;
  onChoose: () => void;
}) {
  return (
    <label
      className={clsx(
        'relative -ml-1 inline-grid size-6 place-items-center align-middle',
        disabled ? 'opacity-40' : 'cursor-pointer',
      )}
      title={disabled ? templateExpiredText : undefined}
    >
      <input
        type="radio"
        name={`compare-${side}`}
        checked={checked}
        disabled={disabled}
        onChange={onChoose}
        className="peer absolute inset-0 m-0 size-6 cursor-[inherit] opacity-0"
      />
      <span
        aria-hidden
        className="size-[13px] rounded-full border-[1.25px] border-control bg-surface peer-checked:border-[4px] peer-checked:border-accent peer-focus-visible:outline-2 peer-focus-visible:outline-offset-1 peer-focus-visible:outline-focus"
      />
      <span className="sr-only">{`Compare ${side} ${label}`}</span>
    </label>
  );
}

function isClickOnRow(event: React.MouseEvent): boolean {
  const target = event.target;
  if (target instanceof Element && target.closest('a, button, label, input')) return false;
  return window.getSelection()?.type !== 'Range';
}
