'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { Waiting } from '@/components/shared/waiting';
import { CopyButton } from '@/components/ui/copy-button';
import { Glyph } from '@/components/ui/glyph';
import { SectionHead } from '@/components/ui/section-head';
import { SkeletonRows } from '@/components/ui/skeleton';
import { AbsoluteTime } from '@/components/ui/time';
import { storedRevisionsOf } from '@/components/workload/stored-objects';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { manifestQuery } from '@/components/queries/workload-detail';
import type { WorkloadRef } from '@/components/queries/workload-ref';

/**
 * The ControllerRevisions of an owner as its controller wrote them, to read and to copy; first those that are not
 * revisions, which no other section shows.
 */
export function StoredSection({ detail }: { detail: WorkloadDetail }) {
  const { workload, stored = [] } = detail;
  const storedRevisions = storedRevisionsOf(detail);
  return (
    <section aria-labelledby="stored" className="pt-[22px]">
      <SectionHead
        id="stored"
        title={stored.length === 0 ? 'Recorded content' : 'Stored objects'}
        remark={
          stored.length === 0
            ? 'As written by the controller, with credentials masked'
            : 'ControllerRevisions that are not part of the history, with credentials masked'
        }
        className="mb-2"
      />
      <ul className="border-t border-line">
        {stored.map(({ name, createdAt, holds }) => (
          <StoredRevision key={name} workload={workload} name={name} createdAt={createdAt}>
            {holds === null ? 'State' : `Copy of ${holds.kind}${holds.name === null ? '' : ` ${holds.name}`}`}
          </StoredRevision>
        ))}
        {storedRevisions.map(({ id, name, number, createdAt }) => (
          <StoredRevision key={id} workload={workload} name={name} createdAt={createdAt}>
            {number === null ? 'Revision without a number' : `Revision ${number}`}
          </StoredRevision>
        ))}
      </ul>
    </section>
  );
}

/** One object, requested only once it is opened. */
function StoredRevision({
  workload,
  name,
  createdAt,
  children,
}: {
  workload: WorkloadRef;
  name: string;
  createdAt: string;
  children: React.ReactNode;
}) {
  const [open, setOpen] = useState(false);
  const id = `stored-${name}`;
  return (
    <li className="border-b border-line">
      <button
        type="button"
        aria-expanded={open}
        aria-controls={id}
        onClick={() => setOpen(!open)}
        className="flex min-h-9 w-full flex-wrap items-center gap-x-2.5 gap-y-0.5 py-1.5 text-start text-small max-desk:min-h-11"
      >
        <Glyph name={open ? 'chevron-down' : 'chevron-right'} />
        <span className="literal [overflow-wrap:anywhere]">{name}</span>
        <span className="text-ink-2">{children}</span>
        <span className="ml-auto text-ink-3">
          <AbsoluteTime iso={createdAt} form="short" />
        </span>
      </button>
      <div id={id}>{open && <Manifest workload={workload} name={name} />}</div>
    </li>
  );
}

function Manifest({ workload, name }: { workload: WorkloadRef; name: string }) {
  const { data, error, refetch } = useQuery(manifestQuery(workload, name));
  return (
    <Waiting
      answer={{ data, error }}
      loading={<SkeletonRows rows={4} rowHeight={19} label={`Loading ${name}`} />}
      onRetry={() => void refetch()}
      title="The manifest could not be loaded"
      className="mb-3"
    >
      {({ yaml }) => (
        <div className="pb-3">
          <div className="flex justify-end pb-1.5">
            <CopyButton text={yaml} label={`Copy manifest of ${name}`} size="small" glyph="copy">
              Copy manifest
            </CopyButton>
          </div>
          <pre
            tabIndex={0}
            aria-label={`Manifest of ${name}`}
            className="max-h-[420px] overflow-auto rounded-3 bg-fill p-3 font-mono text-code"
          >
            {yaml}
          </pre>
        </div>
      )}
    </Waiting>
  );
}
