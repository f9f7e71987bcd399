'use client';

import { useMemo } from 'react';
import { useMedia } from '@/components/ui/media';
import { Notice } from '@/components/ui/notice';
import { PartialNotice } from '@/components/ui/partial-notice';
import { SectionHead } from '@/components/ui/section-head';
import { Table, Tbody, Th, Thead } from '@/components/ui/table';
import { AbsoluteTime, useNow } from '@/components/ui/time';
import { ChosenPair } from '@/components/revisions/chosen-pair';
import { type Pair } from '@/components/revisions/choose-pair';
import { GapRow } from '@/components/revisions/gap-row';
import { RevisionRow } from '@/components/revisions/revision-row';
import { rowsOf } from '@/components/revisions/revision-rows';
import { type WorkloadDetail } from '@/lib/api/workloads';

/** A narrow screen leaves out the cause. */
const columns = {
  wide: ['58px', '100px', '222px', '96px', 'auto', '200px', '140px', '86px', '92px'],
  narrow: ['58px', '90px', '212px', '92px', 'auto', '130px', '84px', '92px'],
};
const MINUTE_MS = 60_000;

/** The history as a list: what is live, what changed, why, and since when, as far as each is known. */
export function RevisionsSection({
  detail,
  pair,
  onPair,
  current,
  pointed,
  onPoint,
  onSelect,
  onRollback,
  blocked,
}: {
  detail: WorkloadDetail;
  /** What is chosen for comparison. */
  pair: Pair;
  onPair: (change: Partial<Pair>) => void;
  /** Id of the row where the keys stand. */
  current: string | null;
  pointed: string | null;
  onPoint: (revisionId: string | null) => void;
  onSelect: (revisionId: string) => void;
  onRollback: (revisionId: string) => void;
  blocked: string | null;
}) {
  const nowMs = useNow(MINUTE_MS);
  const isWide = useMedia('(width >= 1281px)');
  const widths = isWide ? columns.wide : columns.narrow;
  const rows = useMemo(() => rowsOf(detail, nowMs), [detail, nowMs]);
  const { revisions, warnings, orphans, workload, partial } = detail;
  const live = revisions.filter((revision) => revision.live).length;
  return (
    <section aria-labelledby="revisions" className="pt-[22px]">
      <SectionHead
        id="revisions"
        title="Revisions"
        remark={`${revisions.length}, of which ${live} live`}
        end={<ChosenPair workload={workload} revisions={revisions} pair={pair} />}
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
      {workload.targetRevision === null && (
        <Notice tone="info" title="The present template is recorded by no revision yet." className="mb-2">
          {workload.paused
            ? 'It is paused: Kubernetes records the edit when it is resumed.'
            : 'The controller has not seen the last edit yet.'}
        </Notice>
      )}
      {revisions.length > 0 && (
        <Table label={`Revisions of ${workload.name}`} columns={widths}>
          <Thead>
            <Th>
              <span className="inline-flex gap-[3px]">
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
            <Th>Image</Th>
            <Th>What changed against the one before</Th>
            {isWide && <Th>Cause</Th>}
            <Th>Active from</Th>
            <Th numeric>for</Th>
            <Th>
              <span className="sr-only">What can be done</span>
            </Th>
          </Thead>
          <Tbody>
            {rows.map((row) =>
              row.kind === 'gap' ? (
                <GapRow key={row.key} from={row.from} to={row.to} span={widths.length} />
              ) : (
                <RevisionRow
                  key={row.key}
                  revision={row.revision}
                  active={row.active}
                  span={row.span}
                  workload={workload}
                  revisions={revisions}
                  pair={pair}
                  onPair={onPair}
                  current={row.revision.id === current}
                  pointed={row.revision.id === pointed}
                  onPoint={onPoint}
                  onSelect={onSelect}
                  onRollback={onRollback}
                  blocked={blocked}
                  withCause={isWide}
                />
              ),
            )}
          </Tbody>
        </Table>
      )}
      {orphans.length > 0 && (
        <p className="pt-2.5 text-small text-ink-3">
          Apart from these:{' '}
          {orphans.map(({ name, number, createdAt }, index) => (
            <span key={name}>
              {index > 0 && ', '}
              <span className="literal text-ink-2">{name}</span>
              {number !== null && ` (numbered ${number})`} of <AbsoluteTime iso={createdAt} />
            </span>
          ))}
          . {orphans.length === 1 ? 'It matches' : 'They match'} the selector but{' '}
          {orphans.length === 1 ? 'belongs' : 'belong'} to no workload, so a rollback can’t use{' '}
          {orphans.length === 1 ? 'it' : 'them'}.
        </p>
      )}
    </section>
  );
}
