'use client';

import { RecordView } from '@/components/records/record-view';
import { Review } from '@/components/review/review';
import { Crumbs } from '@/components/ui/crumbs';
import { recordPagePath } from '@/components/queries/records';

/** The queue with the record under review. */
export function ReviewView() {
  return (
    <Review>
      {(id) => (
        <>
          <Crumbs
            items={[
              { label: 'History', href: '/records' },
              { label: 'Open record', href: recordPagePath(id) },
            ]}
          />
          <RecordView key={id} id={id} verdict={() => null} />
        </>
      )}
    </Review>
  );
}
