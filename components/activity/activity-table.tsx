'use client';

import Link from 'next/link';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { AbsoluteTime } from '@/components/ui/time';
import { type Action } from '@/lib/api/actions';
import { workloadPagePath } from '@/lib/queries/workload-ref';

const words: Record<Action['action'], string> = {
  rollback: 'Roll back',
  pause: 'Pause',
  resume: 'Resume',
  restart: 'Restart',
  partition: 'Move partition',
  deletePod: 'Delete pod',
};

const faces: Record<Action['state'], { word: string; glyph: GlyphName; color: string }> = {
  accepted: { word: 'accepted', glyph: 'waiting', color: 'text-rolling' },
  following: { word: 'under way', glyph: 'restart', color: 'text-rolling' },
  done: { word: 'done', glyph: 'complete', color: 'text-complete' },
  failed: { word: 'failed', glyph: 'failed', color: 'text-stuck' },
  refused: { word: 'refused', glyph: 'lock', color: 'text-degraded' },
};

const columns = ['120px', '130px', '22%', '14%', 'auto', '110px'];

/** Actions newest first; on a phone three lines each. */
export function ActivityTable({ actions }: { actions: readonly Action[] }) {
  return (
    <Table label="Activity, newest first" columns={columns}>
      <Thead stickyTop="var(--top)">
        <Th>How it went</Th>
        <Th>What</Th>
        <Th>Workload</Th>
        <Th>Who</Th>
        <Th>In words</Th>
        <Th numeric>When</Th>
      </Thead>
      <Tbody>
        {actions.map((action) => (
          <Tr
            key={action.id}
            className="max-desk:relative max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-[9px]"
          >
            <Td className="max-desk:[grid-area:2/2]">
              <StateCell state={action.state} />
            </Td>
            <Td className="max-desk:[grid-area:2/1]">
              <span className="font-medium">{words[action.action]}</span>
              {action.to !== null && (
                <span className="rev ml-1.5 text-ink-2">
                  {action.from ?? '?'} → {action.to}
                </span>
              )}
            </Td>
            <RowHead className="max-desk:[grid-area:1/1]">
              <Link
                href={workloadPagePath(action)}
                prefetch={false}
                className="inline-flex max-w-full items-baseline gap-2 hover:underline focus-visible:-outline-offset-2 max-desk:after:absolute max-desk:after:inset-0"
              >
                <b className="truncate">{action.name}</b>
                <span className="truncate text-small text-ink-3">{action.namespace}</span>
              </Link>
            </RowHead>
            <Td className="max-desk:hidden">{action.actor}</Td>
            <Td
              title={[action.message, action.reason].filter(Boolean).join('\n')}
              className="text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:whitespace-normal"
            >
              <span className="desk:hidden">{action.actor}: </span>
              {action.message}
              {action.reason !== '' && <span className="ml-2 text-ink-3">“{action.reason}”</span>}
            </Td>
            <Td numeric className="text-small text-ink-2 max-desk:[grid-area:1/2]">
              <AbsoluteTime iso={action.startedAt} form="short" />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function StateCell({ state }: { state: Action['state'] }) {
  const { word, glyph, color } = faces[state];
  return (
    <span className={`inline-flex items-center gap-1.5 ${color}`}>
      <Glyph name={glyph} size={12} />
      {word}
    </span>
  );
}
