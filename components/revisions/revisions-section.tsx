'use client';

import { useMemo, useState, useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PartialNotice } from '@/components/shared/partial-notice';
import { SectionHead } from '@/components/ui/section-head';
import { Segmented } from '@/components/ui/segmented';
import { Table, Tbody, Th, Thead } from '@/components/ui/table';
import { AbsoluteTime, useNow } from '@/components/ui/time';
import { ChosenPair } from '@/components/revisions/chosen-pair';
import {
  isSelected,
  pairSideLabel,
  selectedPair,
  type PairSelection,
} from '@/components/revisions/revision-pair';
import type { ShownHistory } from '@/components/revisions/revision-history';
import { columns, useRowWidth, type RowWidth } from '@/components/revisions/revision-columns';
import { RevisionRow, type RowActions } from '@/components/revisions/revision-row';
import type { RevisionItem } from '@/lib/api/revisions';
import { formatCount } from '@/lib/format/text';
import { formatRev } from '@/lib/history/revision';
import {
  buildHistoryRows,
  hasRollouts,
  type HistoryOrder,
  type RevisionListRow,
  type RevisionRowItem,
} from '@/components/revisions/revision-rows';

const pendingMessages = {
  separate: 'The rollout runs it on separate pods first. Kubernetes records it at the last step.',
  paused: 'The workload is paused. Kubernetes records the change when it is resumed.',
  unseen: 'The controller has not observed the last change yet.',
};

const MINUTE_MS = 60_000;
/** Older rows are shown on request. */
const ROWS_SHOWN = 30;
/** A few more rows are not worth a button. */
const ROWS_TOLERANCE = 5;

/**
 * The history as a list: every rollout with the newest on top, or every revision by number; what is live, what changed,
 * change cause, changed by, since when and the outcome, as far as each is known.
 */
export function RevisionsSection({
  history,
  rows,
  order,
  onOrder,
  selection,
  comparable,
  current,
  pointed,
  blocked,
  ...handlers
}: RowActions & {
  history: ShownHistory;
  /** Those of {@link useHistoryRows}. */
  rows: readonly RevisionListRow[];
  order: HistoryOrder;
  onOrder: (order: HistoryOrder) => void;
  /** The rows selected for comparison. */
  selection: PairSelection;
  /** Whether revisions can be compared: only while a workload of the name exists. */
  comparable: boolean;
  /** Key of the row that the keyboard selected. */
  current: string | null;
  pointed: string | null;
  /** Why nothing can be rolled back; null when it can. */
  blocked: string | null;
}) {
  const width = useRowWidth();
  const [all, setAll] = useState(false);
  const actions = useStableActions(handlers);
  const shownOrder = hasRollouts(history) ? order : 'revisions';
  const shown = shownRows(rows, all, current);
  const { revisions, warnings, orphans, workload, partial, pending } = history;
  const isDeleted = history.endedAt !== null;
  return (
    <section aria-labelledby="history" className="pt-[22px]">
      <SectionHead
        id="history"
        title="History"
        remark={remarkOf(history)}
        end={
          <>
            {comparable && revisions.length > 1 && (
              <ChosenPair
                workload={workload}
                revisions={revisions}
                pair={selectedPair(rows, selection, current)}
              />
            )}
            {hasRollouts(history) && (
              <Segmented
                label="List"
                value={order}
                onChange={onOrder}
                options={orders}
                className="max-desk:flex-none max-desk:[&>button]:px-3"
              />
            )}
          </>
        }
        className="mb-2"
      />
      {partial.map((part) => (
        <PartialNotice
          key={`${part.resource} ${part.reason}`}
          part={part}
          missing={`Without ${part.resource?.split('.')[0] ?? 'some parts'}.`}
          className="mb-2"
        />
      ))}
      {warnings.map((warning) => (
        <Notice key={warning} tone="info" title="Inconsistent history." className="mb-2">
          {warning}
        </Notice>
      ))}
      {pending !== null && (
        <Notice tone="info" title="The new template has no revision yet." className="mb-2">
          {pendingMessages[pending]}
        </Notice>
      )}
      {revisions.length > 0 && (
        <Table
          label={`${shownOrder === 'rollouts' ? 'Rollouts' : 'Revisions'} of ${workload.name}`}
          columns={columns[width]}
        >
          <Head width={width} />
          <Tbody>
            {shown.map((row) =>
              row.kind === 'gap' ? (
                <GapRow key={row.key} from={row.from} to={row.to} span={columns[width].length} />
              ) : (
                <RevisionRow
                  key={row.key}
                  row={row}
                  state={row.revision.target && row.isLast ? history.state : undefined}
                  writer={writerOf(row, history)}
                  isDeleted={isDeleted}
                  explained={shownOrder === 'revisions'}
                  duplicateLabel={
                    row.revision.duplicateOf === null || row.sameAs !== null
                      ? null
                      : pairSideLabel(revisions, row.revision.duplicateOf)
                  }
                  againstLabel={againstLabelOf(row, rows, revisions)}
                  selected={comparable && isSelected(selection, row.key)}
                  choosable={comparable}
                  current={row.key === current}
                  pointed={row.revision.id === pointed}
                  actions={actions}
                  blocked={blocked}
                  width={width}
                />
              ),
            )}
          </Tbody>
        </Table>
      )}
      {shown.length < rows.length && (
        <Button size="small" tone="quiet" onClick={() => setAll(true)} className="mt-1 -ml-2">
          Show all {rows.length} {shownOrder}
        </Button>
      )}
      <Orphans orphans={orphans} />
    </section>
  );
}

const orders = [
  { value: 'rollouts', label: 'Rollouts', name: 'newest first' },
  { value: 'revisions', label: 'Revisions', name: 'by number' },
] as const;

/** The rows of the list, as the keys of the page move over them too. */
export function useHistoryRows(
  history: Pick<ShownHistory, 'revisions' | 'gaps' | 'endedAt'>,
  order: HistoryOrder,
): readonly RevisionListRow[] {
  const clockMs = useNow(MINUTE_MS);
  const { revisions, gaps, endedAt } = history;
  const nowMs = endedAt === null ? clockMs : Date.parse(endedAt);
  return useMemo(
    () => buildHistoryRows({ revisions, gaps }, nowMs, hasRollouts({ revisions }) ? order : 'revisions'),
    [revisions, gaps, nowMs, order],
  );
}

function Head({ width }: { width: RowWidth }) {
  return (
    <Thead>
      <Th>
        <span className="sr-only">Selected</span>
      </Th>
      <Th>Revision</Th>
      <Th>Status</Th>
      {width !== 'slim' && <Th>Image</Th>}
      <Th>Changes from previous</Th>
      {width === 'wide' && <Th>Change cause</Th>}
      {(width === 'wide' || width === 'phone') && <Th>Changed by</Th>}
      <Th>Active from</Th>
      {(width === 'wide' || width === 'phone') && <Th numeric>Active for</Th>}
      <Th>Outcome</Th>
      <Th>
        <span className="sr-only">Actions</span>
      </Th>
    </Thead>
  );
}

/** Who wrote the template of the row; of an earlier activation only a record knows. */
function writerOf({ revision, isLast }: RevisionRowItem, { writer }: ShownHistory): RevisionItem['writer'] {
  if (!isLast) return null;
  return revision.target ? (writer ?? revision.writer) : revision.writer;
}

/** "rev 3": the revision that a change is relative to; null where it ran before and is in the row below. */
function againstLabelOf(
  row: RevisionRowItem,
  rows: readonly RevisionListRow[],
  revisions: readonly RevisionItem[],
): string | null {
  const { before } = row.change;
  if (before === undefined) return null;
  const below = rows[rows.indexOf(row) + 1];
  if (before.ran && below?.kind === 'revision' && below.revision.id === before.id) return null;
  const listed = revisions.find(({ id }) => id === before.id);
  return listed !== undefined || before.number === null
    ? ((listed && formatRev(listed)) ?? 'an earlier revision')
    : `rev ${before.number}`;
}

/** The newest rows, or all after a request or once the keyboard selection is further down. */
function shownRows(
  rows: readonly RevisionListRow[],
  all: boolean,
  current: string | null,
): readonly RevisionListRow[] {
  if (all || rows.length <= ROWS_SHOWN + ROWS_TOLERANCE) return rows;
  const last = rows.findIndex(({ key }) => key === current);
  return last < ROWS_SHOWN ? rows.slice(0, ROWS_SHOWN) : rows;
}

function remarkOf({ revisions, endedAt }: ShownHistory): string {
  const total = formatCount(revisions.length, 'revision');
  if (endedAt !== null) return `${total}, from the archive`;
  const archived = revisions.filter((revision) => !revision.retained).length;
  const live = revisions.filter((revision) => revision.live).length;
  return `${total}, ${live} live${archived > 0 ? `, ${archived} archived` : ''}`;
}

/** Objects that match the selector but have no owner: listed, because a rollback can't use them. */
function Orphans({ orphans }: Pick<ShownHistory, 'orphans'>) {
  if (orphans.length === 0) return null;
  const isOne = orphans.length === 1;
  return (
    <p className="pt-2.5 text-small text-ink-3">
      {isOne ? 'Orphaned object: ' : 'Orphaned objects: '}
      {orphans.map(({ name, number, createdAt }, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <span className="literal text-ink-2">{name}</span>
          {number !== null && ` (revision ${number})`}, created <AbsoluteTime iso={createdAt} />
        </span>
      ))}
      . {isOne ? 'It matches' : 'They match'} the selector but {isOne ? 'has' : 'have'} no owner, so{' '}
      {isOne ? 'it' : 'they'} cannot be rolled back to.
    </p>
  );
}

/** A row for missing revisions, so that gaps are visible. */
function GapRow({ from, to, span }: { from: number; to: number; span: number }) {
  const numbers = from === to ? `Revision ${to}` : `Revisions ${from}–${to}`;
  return (
    <tr role="row" className="max-desk:block">
      <td
        role="cell"
        colSpan={span}
        className="h-7 border-b border-hair bg-[repeating-linear-gradient(-45deg,var(--hair)_0_1px,transparent_1px_6px)] pl-[30px] text-small text-ink-3 max-desk:block max-desk:px-2 max-desk:leading-7"
      >
        <span className="bg-canvas px-1.5">{numbers} no longer retained</span>
      </td>
    </tr>
  );
}

/** The same actions in a stable object, so that rows do not render again because of them. */
function useStableActions(actions: RowActions): RowActions {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      onPoint: (id) => latest.current.onPoint(id),
      onSelect: (key) => latest.current.onSelect(key),
      onRollback: (id) => latest.current.onRollback(id),
    }),
    [],
  );
}
