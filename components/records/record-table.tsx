'use client';

import Link from 'next/link';
import { Glyph } from '@/components/ui/glyph';
import { MomentText } from '@/components/ui/moment-text';
import { outcomeColor, OutcomeGlyph } from '@/components/shared/outcome-glyph';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { Tag } from '@/components/ui/tag';
import { type RecordItem } from '@/lib/api/records';
import {
  actorText,
  rolloutDurationText,
  outcomeText,
  transitionText,
  startMoment,
} from '@/lib/view/record-text';
import { recordPagePath } from '@/components/queries/records';

const columns = ['22%', '90px', '15%', 'auto', '15%', '84px', '110px', '70px'];

/** One line per record; three on a phone. */
export function RecordTable({
  records,
  current,
  onSelect,
}: {
  records: readonly RecordItem[];
  current: number;
  onSelect: (index: number) => void;
}) {
  return (
    <Table label="Records, newest first" columns={columns}>
      <Thead stickyTop="var(--top)">
        <Th>Workload</Th>
        <Th>Revision</Th>
        <Th>How it went</Th>
        <Th>What changed</Th>
        <Th>Who</Th>
        <Th numeric>Took</Th>
        <Th numeric>Started</Th>
        <Th>Review</Th>
      </Thead>
      <Tbody>
        {records.map((record, index) => (
          <Tr
            key={record.id}
            data-record={record.id}
            current={index === current}
            className="scroll-my-20 max-desk:relative max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-[9px]"
          >
            <RowHead>
              <Link
                href={recordPagePath(record.id)}
                prefetch={false}
                onFocus={() => onSelect(index)}
                className="flex h-[30px] items-center gap-2 focus-visible:-outline-offset-2 max-desk:h-[22px] max-desk:text-[15px] max-desk:after:absolute max-desk:after:inset-0"
              >
                <OutcomeGlyph record={record} />
                <b className="max-w-[75%] flex-none truncate">{record.workload.name}</b>
                <span className="min-w-0 truncate text-small text-ink-3">{record.workload.namespace}</span>
              </Link>
            </RowHead>
            <Td className="rev max-desk:hidden">{transitionText(record)}</Td>
            <Td className="max-desk:[grid-area:2/1] max-desk:pl-[22px] desk:py-[5px] desk:leading-5 desk:whitespace-normal">
              <span className={`font-medium ${outcomeColor(record)}`}>{outcomeText(record)}</span>
              <span className="rev ml-2 desk:hidden">{transitionText(record)}</span>
              {record.revertedBy !== null && record.outcome === 'completed' && (
                <span className="ml-1.5 text-ink-3">reverted later</span>
              )}
              {record.takesBack !== null && (
                <span className="ml-1.5 text-ink-3" title={record.takesBack.sentence}>
                  reverts {revertedWord(record.takesBack.rollout.number)}
                </span>
              )}
            </Td>
            <Td
              title={record.summary}
              className="text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:truncate max-desk:pl-[22px]"
            >
              {record.restart ? 'restart' : record.summary}
              {record.cause !== null && <span className="ml-2 text-ink-3">{record.cause}</span>}
            </Td>
            <Td className="text-small text-ink-2 max-desk:hidden">
              {actorText(record.actor) ?? <span className="text-ink-3">not recorded</span>}
            </Td>
            <Td numeric className="text-small text-ink-2 max-desk:hidden">
              {rolloutDurationText(record) ?? <span className="text-ink-3">–</span>}
            </Td>
            <Td numeric className="text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:leading-[22px]">
              <MomentText moment={startMoment(record)} form="short" />
            </Td>
            <Td className="max-desk:[grid-area:2/2] max-desk:text-end">
              <ReviewCell record={record} />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function revertedWord(number: number | null): string {
  return number === null ? 'an earlier rollout' : `rev ${number}`;
}

const verdictTags = {
  good: { tone: 'good', word: 'good' },
  bad: { tone: 'bad', word: 'bad' },
  followUp: { tone: 'held', word: 'follow-up' },
} as const;

function ReviewCell({ record: { review } }: { record: RecordItem }) {
  const tag = review.verdict === null ? null : verdictTags[review.verdict];
  const count = review.comments.length;
  return (
    <span className="inline-flex items-center gap-1.5">
      {tag && (
        <Tag tone={tag.tone} title={`by ${review.by}`}>
          {tag.word}
        </Tag>
      )}
      {count > 0 && (
        <span className="inline-flex items-center gap-1 text-small text-ink-3" title={`${count} comments`}>
          <Glyph name="note" size={12} />
          {count}
        </span>
      )}
    </span>
  );
}
