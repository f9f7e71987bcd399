'use client';

import { useMemo, useState, useEffect, useRef } from 'react';
import { Button } from '@/components/ui/button';
import { Notice } from '@/components/ui/notice';
import { PartialNotice } from '@/components/shared/partial-notice';
import { SectionHead } from '@/components/ui/section-head';
import { Table, Tbody, Th, Thead } from '@/components/ui/table';
import { AbsoluteTime, useNow } from '@/components/ui/time';
import { ChosenPair } from '@/components/revisions/chosen-pair';
import { baseLabelOf, pairSideLabel, type RevisionPair } from '@/components/revisions/revision-pair';
import { type RevisionHistory } from '@/components/revisions/revision-history';
import { columns, useRowWidth, type RowWidth } from '@/components/revisions/revision-columns';
import { RevisionRow, type RowActions } from '@/components/revisions/revision-row';
import { type RevisionListRow, buildRevisionRows } from '@/components/revisions/revision-rows';

const pendingMessages = {
  released: 'Its release tries it on pods of its own first; Kubernetes records it at the last step.',
  paused: 'It is paused: Kubernetes records the edit when it is resumed.',
  unseen: 'The controller has not seen the last edit yet.',
};

const MINUTE_MS = 60_000;
/** Older rows are shown on request. */
const ROWS_SHOWN = 30;
/** A few more rows are not worth a button. */
const ROWS_TOLERANCE = 5;

/**
 * The history as a list: what is live, what changed, change cause, changed by, since when and the outcome, as far as
 * each is known.
 */
export function RevisionsSection({
  history,
  pair,
  comparable,
  current,
  pointed,
  blocked,
  ...handlers
}: RowActions & {
  history: RevisionHistory;
  /** The pair chosen for comparison. */
  pair: RevisionPair;
  /** Whether revisions can be compared: only while a workload of the name exists. */
  comparable: boolean;
  /** Id of the row that the keyboard selected. */
  current: string | null;
  pointed: string | null;
  /** Why nothing can be rolled back; null when it can. */
  blocked: string | null;
}) {
  const clockMs = useNow(MINUTE_MS);
  const nowMs = history.endedAt === null ? clockMs : Date.parse(history.endedAt);
  const width = useRowWidth();
  const [all, setAll] = useState(false);
  const actions = useStableActions(handlers);
  const rows = useMemo(() => buildRevisionRows(history, nowMs), [history, nowMs]);
  const shown = shownRows(rows, all, current);
  const { revisions, warnings, orphans, workload, partial, pending } = history;
  const isDeleted = history.endedAt !== null;
  return (
    <section aria-labelledby="revisions" className="pt-[22px]">
      <SectionHead
        id="revisions"
        title="Revisions"
        remark={remarkOf(history)}
        end={comparable && <ChosenPair workload={workload} revisions={revisions} pair={pair} />}
        className="mb-2"
      />
      {partial.map((part) => (
        <PartialNotice
          key={`${part.resource} ${part.reason}`}
          part={part}
          missing={`Without ${part.resource.split('.')[0] ?? part.resource}.`}
          className="mb-2"
        />
      ))}
      {warnings.map((warning) => (
        <Notice key={warning} tone="info" title="Odd in this history." className="mb-2">
          {warning}
        </Notice>
      ))}
      {pending !== null && (
        <Notice tone="info" title="The present template is recorded by no revision yet." className="mb-2">
          {pendingMessages[pending]}
        </Notice>
      )}
      {revisions.length > 0 && (
        <Table label={`Revisions of ${workload.name}`} columns={columns[width]}>
          <Head width={width} choosable={comparable} />
          <Tbody>
            {shown.map((row) =>
              row.kind === 'gap' ? (
                <GapRow key={row.key} from={row.from} to={row.to} span={columns[width].length} />
              ) : (
                <RevisionRow
                  key={row.key}
                  revision={row.revision}
                  version={row.version}
                  active={row.active}
                  span={row.span}
                  record={row.record}
                  state={row.revision.target ? history.state : undefined}
                  writer={row.revision.target ? (history.writer ?? row.revision.writer) : row.revision.writer}
                  isDeleted={isDeleted}
                  duplicateLabel={
                    row.revision.duplicateOf === null
                      ? null
                      : pairSideLabel(revisions, row.revision.duplicateOf)
                  }
                  againstLabel={baseLabelOf(revisions, row.revision)}
                  side={comparable ? sideOf(pair, row.revision.id) : null}
                  choosable={comparable}
                  current={row.revision.id === current}
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
          Show all {revisions.length} revisions
        </Button>
      )}
      <Orphans orphans={orphans} />
    </section>
  );
}

function Head({ width, choosable }: { width: RowWidth; choosable: boolean }) {
  return (
    <Thead>
      <Th>
        <span className={choosable ? 'inline-flex gap-[3px]' : 'sr-only'}>
          <span title="Compare from" className="w-[17px] text-center">
            A
          </span>
          <span title="Compare to" className="w-[17px] text-center">
            B
          </span>
        </span>
      </Th>
      <Th>Revision</Th>
      <Th>Live</Th>
      {width !== 'slim' && <Th>Image</Th>}
      <Th>Changes</Th>
      {width === 'wide' && <Th>Cause</Th>}
      {(width === 'wide' || width === 'phone') && <Th>Who</Th>}
      <Th>Active from</Th>
      {(width === 'wide' || width === 'phone') && <Th numeric>for</Th>}
      <Th>Outcome</Th>
      <Th>
        <span className="sr-only">What can be done</span>
      </Th>
    </Thead>
  );
}

/** The newest rows, or all after a request or once the keyboard selection is further down. */
function shownRows(
  rows: readonly RevisionListRow[],
  all: boolean,
  current: string | null,
): readonly RevisionListRow[] {
  if (all || rows.length <= ROWS_SHOWN + ROWS_TOLERANCE) return rows;
  const last = rows.findIndex((row) => row.key === current);
  return last < ROWS_SHOWN ? rows.slice(0, ROWS_SHOWN) : rows;
}

function sideOf(pair: RevisionPair, id: string): 'from' | 'to' | null {
  if (pair.from === id) return 'from';
  return pair.to === id ? 'to' : null;
}

function remarkOf({ revisions, endedAt }: RevisionHistory): string {
  const archived = revisions.filter((revision) => !revision.retained).length;
  if (endedAt !== null) return `${revisions.length}, from the archive`;
  const live = revisions.filter((revision) => revision.live).length;
  return `${revisions.length}, of which ${live} live${archived > 0 ? ` and ${archived} archived` : ''}`;
}

/** Objects that match the selector but have no owner: listed, because a rollback can't use them. */
function Orphans({ orphans }: Pick<RevisionHistory, 'orphans'>) {
  if (orphans.length === 0) return null;
  const isOne = orphans.length === 1;
  return (
    <p className="pt-2.5 text-small text-ink-3">
      Apart from these:{' '}
      {orphans.map(({ name, number, createdAt }, index) => (
        <span key={name}>
          {index > 0 && ', '}
          <span className="literal text-ink-2">{name}</span>
          {number !== null && ` (numbered ${number})`} of <AbsoluteTime iso={createdAt} />
        </span>
      ))}
      . {isOne ? 'It matches' : 'They match'} the selector but {isOne ? 'belongs' : 'belong'} to no workload,
      so a rollback can’t use {isOne ? 'it' : 'them'}.
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
        className="h-7 border-b border-hair bg-[repeating-linear-gradient(-45deg,var(--hair)_0_1px,transparent_1px_6px)] pl-[58px] text-small text-ink-3 max-desk:block max-desk:px-2 max-desk:leading-7"
      >
        <span className="bg-canvas px-1.5">
          {numbers} {from === to ? 'is' : 'are'} kept no longer
        </span>
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
      onPair: (change) => latest.current.onPair(change),
      onPoint: (id) => latest.current.onPoint(id),
      onSelect: (id) => latest.current.onSelect(id),
      onRollback: (id) => latest.current.onRollback(id),
    }),
    [],
  );
}
