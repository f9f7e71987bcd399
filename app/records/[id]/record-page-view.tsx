'use client';

import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { ChangeCounts } from '@/components/diff/change-counts';
import { ChangeTable } from '@/components/diff/change-table';
import { RecordView } from '@/components/records/record-view';
import { VerdictForm } from '@/components/review/verdict-form';
import { CopyButton } from '@/components/ui/copy-button';
import { Crumbs } from '@/components/ui/crumbs';
import { AppError } from '@/lib/errors';
import { transitionText } from '@/lib/view/record-text';
import { recordQuery } from '@/components/queries/records';

/** A record at its permalink, with its comparison and its review. */
export function RecordPageView({ id }: { id: string }) {
  const { data: record, error } = useQuery(recordQuery(id));
  const name = record === undefined ? 'Record' : `${record.workload.name} ${transitionText(record)}`;
  const isMissing = error instanceof AppError && error.code === 'not_found';
  usePageTitle(isMissing ? 'Record not found' : record && name);
  return (
    <>
      <Crumbs items={[{ label: 'History', href: '/records' }, { label: name }]}>
        <CopyButton
          size="small"
          tone="quiet"
          glyph="copy"
          label="Copy link to this record"
          text={() => window.location.href}
        >
          Copy link
        </CopyButton>
      </Crumbs>
      <div className="max-w-[980px] full:max-w-none">
        <RecordView
          id={id}
          isPage
          comparison={(diff) => (
            <>
              <ChangeCounts diff={diff} />
              <ChangeTable diff={diff} />
            </>
          )}
          verdict={(record) => <VerdictForm key={record.id} record={record} saveLabel="Save verdict" />}
        />
      </div>
    </>
  );
}

/** Sets the title of the page once its content is known; nothing while it is undefined. */
function usePageTitle(title: string | undefined): void {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Shiplog`;
  }, [title]);
}
