'use client';

import { useRouter } from 'next/navigation';
import { ButtonLink } from '@/components/ui/button';
import { MenuButton } from '@/components/ui/menu-button';
import { useShortcuts } from '@/components/ui/shortcuts';
import { takeAlong } from '@/components/ui/take-along';
import { type RecordAnswer } from '@/lib/api/records';
import { recordApiPath, recordPagePath } from '@/lib/queries/records';

/** So much before and after a rollout belongs to "what else happened then". */
const AROUND_MS = 15 * 60_000;

/** From a record to its neighbours, to what else went on then, and into a file. */
export function RecordLinks({ record }: { record: RecordAnswer }) {
  const router = useRouter();
  const { previous, next } = record.neighbours;
  const go = (id: string | null) => id !== null && router.push(recordPagePath(id));
  useShortcuts({
    '[': { label: 'The rollout before', run: ({ repeat }) => !repeat && go(previous) },
    ']': { label: 'The rollout after', run: ({ repeat }) => !repeat && go(next) },
  });
  const around = timelinePath(record);
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
      {around !== null && (
        <ButtonLink href={around} size="small" tone="quiet" glyph="timeline">
          What else happened then
        </ButtonLink>
      )}
      <MenuButton
        size="small"
        tone="quiet"
        items={[
          {
            label: 'The record, JSON',
            onSelect: () => takeAlong(recordApiPath(record.id), `record-${record.id}.json`),
          },
          {
            label: 'RolloutHistory, JSON',
            hint: 'as OpenKruise has it',
            onSelect: () =>
              takeAlong(
                recordApiPath(record.id, '?format=rollouthistory'),
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

/** The fleet's timeline around the rollout; null where nobody knows when it was. */
export function timelinePath({ startedAt, startedNotAfter, endedAt }: RecordAnswer): string | null {
  const start = startedAt ?? startedNotAfter;
  if (start === null) return null;
  const fromMs = Date.parse(start);
  const toMs = Math.max(fromMs, endedAt === null ? fromMs : Date.parse(endedAt));
  const query = new URLSearchParams({
    from: new Date(fromMs - AROUND_MS).toISOString(),
    to: new Date(toMs + AROUND_MS).toISOString(),
  });
  return `/timeline?${query}`;
}
