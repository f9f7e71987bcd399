'use client';

import { useRouter } from 'next/navigation';
import { ButtonLink } from '@/components/ui/button';
import { MenuButton } from '@/components/ui/menu-button';
import { useShortcuts } from '@/components/ui/shortcuts';
import { downloadFile } from '@/components/ui/download-file';
import { type RecordAnswer } from '@/lib/api/records';
import { apiPath } from '@/components/queries/client';
import { recordPagePath } from '@/components/queries/records';

/** Links from a record to the previous and next one, and its download. */
export function RecordLinks({ record }: { record: RecordAnswer }) {
  const router = useRouter();
  const { previous, next } = record.neighbours;
  const params = { id: record.id };
  const go = (id: string | null) => id !== null && router.push(recordPagePath(id));
  useShortcuts({
    '[': { label: 'The rollout before', run: ({ repeat }) => !repeat && go(previous) },
    ']': { label: 'The rollout after', run: ({ repeat }) => !repeat && go(next) },
  });
  return (
    <nav aria-label="From this record" className="flex flex-wrap items-center gap-2 pt-2.5 print:hidden">
      {previous !== null && (
        <ButtonLink href={recordPagePath(previous)} size="small" glyph="chevron-left" kbd="[">
          Before
        </ButtonLink>
      )}
      {next !== null && (
        <ButtonLink href={recordPagePath(next)} size="small" glyphAfter="chevron-right" kbd="]">
          After
        </ButtonLink>
      )}
      <MenuButton
        size="small"
        tone="quiet"
        items={[
          {
            label: 'The record, JSON',
            onSelect: () =>
              downloadFile(apiPath('GET /api/records/{id}', { params }), `record-${record.id}.json`),
          },
          {
            label: 'RolloutHistory, JSON',
            hint: 'as OpenKruise has it',
            onSelect: () =>
              downloadFile(
                apiPath('GET /api/records/{id}', { params, query: { format: 'rollouthistory' } }),
                `rollouthistory-${record.id}.json`,
              ),
          },
        ]}
      >
        As data
      </MenuButton>
    </nav>
  );
}
