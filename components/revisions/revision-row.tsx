'use client';

import { memo } from 'react';
import { clsx } from 'clsx';
import { IconButton } from '@/components/ui/button';
import { MomentText } from '@/components/ui/moment-text';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { RowHead, Td, Tr } from '@/components/ui/table';
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
import type { RowWidth } from '@/components/revisions/revision-columns';
import type { RevisionRowItem } from '@/components/revisions/revision-rows';
import type { RevisionItem } from '@/lib/api/revisions';
import { formatRev } from '@/lib/history/revision';
import type { WorkloadState } from '@/lib/api/workload-values';

/** The actions of a row; a stable reference while the page is open. */
export interface RowActions {
  onPoint: (revisionId: string | null) => void;
  /** Selects a row for the comparison, or clears it. */
  onSelect: (key: string) => void;
  onRollback: (revisionId: string) => void;
}

/**
 * One rollout or one revision: live or not, what changed, change cause, changed by, since when, and the outcome. A
 * click selects it for a comparison. Memoized: a history may have hundreds of rows.
 */
export const RevisionRow = memo(function RevisionRow({
  row,
  state,
  writer,
  isDeleted,
  explained,
  duplicateLabel,
  againstLabel,
  selected,
  choosable,
  current,
  pointed,
  actions,
  blocked,
  width,
}: {
  row: RevisionRowItem;
  state: WorkloadState | undefined;
  writer: RevisionItem['writer'];
  /** Its workload is deleted. */
  isDeleted: boolean;
  /** In a list of revisions, where no other row says what happened to its number. */
  explained: boolean;
  duplicateLabel: string | null;
  /** The revision that its change is relative to; null where that is the row below. */
  againstLabel: string | null;
  selected: boolean;
  /** Whether rows can be selected for a comparison. */
  choosable: boolean;
  current: boolean;
  pointed: boolean;
  actions: RowActions;
  /** Why nothing can be rolled back; null when it can. */
  blocked: string | null;
  width: RowWidth;
}) {
  const { revision, number, isLast, active, span, record } = row;
  const label = number === null ? revision.name : String(number);
  const versions = row.version.split(', ');
  const isDim = !(revision.live && isLast) && !selected;
  const { unreadable } = revision;
  const hasTemplate = unreadable === undefined && (revision.archived?.hasTemplate ?? true);
  const refusal = revision.fault ?? (hasTemplate ? blocked : (unreadable ?? templateExpiredText));
  return (
    <Tr
      current={current}
      chosen={selected || pointed}
      data-revision={row.key}
      onPointerEnter={() => actions.onPoint(revision.id)}
      onPointerLeave={() => actions.onPoint(null)}
      onClick={(event) => choosable && hasTemplate && isClickOnRow(event) && actions.onSelect(row.key)}
      className={clsx(
        'scroll-my-20 max-desk:grid max-desk:grid-cols-[auto_auto_minmax(0,1fr)_auto] max-desk:gap-x-2.5 max-desk:gap-y-px max-desk:py-2.5',
        choosable && hasTemplate && 'cursor-default',
        (selected || current) && 'max-desk:bleed',
        selected && 'forced-colors:outline forced-colors:-outline-offset-1',
      )}
    >
      <Td className="overflow-visible max-desk:row-span-2 max-desk:[grid-area:1/1]">
        {choosable && (
          <SelectBox
            label={`rev ${label}`}
            checked={selected}
            disabled={!hasTemplate}
            onToggle={() => actions.onSelect(row.key)}
          />
        )}
      </Td>
      <RowHead className="max-desk:[grid-area:1/2]">
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
          {explained && <FormerNumbers revision={revision} />}
        </span>
      </RowHead>
      <Td className="text-small max-desk:[grid-area:2/2/3/4]">
        <LiveCell row={row} state={state} isDeleted={isDeleted} brief={width === 'slim'} />
      </Td>
      {width !== 'slim' && (
        <Td
          title={revision.images
            .map(({ container, image }) => `${container}: ${image}`)
            .join('\n')
            .slice(0, TEXT_LENGTH_MAX)}
          className={clsx(
            'literal max-desk:[grid-area:1/3]',
            isDim && 'text-ink-3',
            versions.length > 1 && 'desk:whitespace-normal',
          )}
        >
          {versions.map((one) => (
            <MiddleEllipsis key={one} text={one} className={versions.length > 1 ? 'mr-1.5' : undefined} />
          ))}
        </Td>
      )}
      <Td className="text-ink-2 max-desk:[grid-area:3/2/4/5] max-desk:whitespace-normal">
        <ChangeCell
          row={row}
          duplicateLabel={duplicateLabel}
          againstLabel={againstLabel}
          explained={explained}
        />
      </Td>
      {width === 'wide' && (
        <Td>
          <CauseCell row={row} dim={isDim} />
        </Td>
      )}
      {(width === 'wide' || width === 'phone') && (
        <Td
          className={clsx(
            'text-small max-desk:[grid-area:4/2/5/5] max-desk:text-ink-2',
            record?.actor == null && 'max-desk:hidden',
          )}
        >
          <ChangedByCell record={record} writer={writer} />
        </Td>
      )}
      <Td className="text-small max-desk:[grid-area:1/4] max-desk:text-end">
        <MomentText
          moment={active}
          className={active.kind === 'at' && !isDim ? 'text-ink-2' : 'text-ink-3'}
        />
      </Td>
      {width !== 'narrow' && width !== 'slim' && (
        <Td numeric className="text-small text-ink-2 max-desk:hidden">
          {span && <ActiveFor span={span} open={revision.target && isLast && !isDeleted} />}
        </Td>
      )}
      <Td className="text-small max-desk:[grid-area:2/4] max-desk:text-end">
        <OutcomeCell record={record} withDuration={width === 'wide'} />
      </Td>
      <Td
        className={clsx(
          'overflow-visible text-end',
          current ? 'max-desk:[grid-area:5/2/6/5] max-desk:text-start' : 'max-desk:hidden',
        )}
      >
        {isLast && (isDeleted || !revision.target) && (
          <IconButton
            glyph="back"
            label={`Roll back… to ${formatRev(revision)}${refusal === null ? '' : `: ${refusal}`}`}
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

/** Always there for keyboard, touch and screen readers; a click anywhere in the row does the same. */
function SelectBox({
  label,
  checked,
  disabled,
  onToggle,
}: {
  label: string;
  checked: boolean;
  disabled: boolean;
  onToggle: () => void;
}) {
  return (
    <label
      className={clsx(
        'grid size-6 place-items-center max-desk:-my-2 max-desk:-ml-3 max-desk:size-11',
        disabled ? 'opacity-40' : 'cursor-pointer',
      )}
      title={disabled ? templateExpiredText : `Select ${label} to compare`}
    >
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={onToggle}
        aria-label={`Select ${label} to compare`}
        className="m-0 size-3.5 cursor-[inherit] accent-(--accent)"
      />
    </label>
  );
}

function isClickOnRow(event: React.MouseEvent): boolean {
  const target = event.target;
  if (target instanceof Element && target.closest('a, button, label, input')) return false;
  return window.getSelection()?.type !== 'Range';
}
