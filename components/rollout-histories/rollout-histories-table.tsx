import Link from 'next/link';
import { findingLabel, podsText, stateAppearance } from '@/components/rollout-histories/history-labels';
import { Glyph } from '@/components/ui/glyph';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { Tag } from '@/components/ui/tag';
import { AbsoluteTime } from '@/components/ui/time';
import { type RolloutHistoryItem } from '@/lib/api/rollout-histories';
import { rolloutHistoryPagePath } from '@/components/queries/rollout-histories';

const columns = ['22%', '12%', '13%', '14%', '9%', 'auto', '110px'];

/** One line per record, with its findings; three on a phone. */
export function RolloutHistoriesTable({
  records,
  at,
  onSelect,
}: {
  records: readonly RolloutHistoryItem[];
  at: string | null;
  onSelect: (uid: string) => void;
}) {
  return (
    <Table label="RolloutHistory records, newest first" columns={columns}>
      <Thead stickyTop="var(--top)">
        <Th>Record</Th>
        <Th>Rollout</Th>
        <Th>State</Th>
        <Th>Release id</Th>
        <Th>Steps</Th>
        <Th>What to know</Th>
        <Th numeric>Made</Th>
      </Thead>
      <Tbody>
        {records.map((record) => (
          <Row
            key={record.uid}
            record={record}
            current={record.uid === at}
            onSelect={() => onSelect(record.uid)}
          />
        ))}
      </Tbody>
    </Table>
  );
}

function Row({
  record,
  current,
  onSelect,
}: {
  record: RolloutHistoryItem;
  current: boolean;
  onSelect: () => void;
}) {
  const appearance = stateAppearance[record.state];
  return (
    <Tr
      data-record={record.uid}
      current={current}
      className="scroll-my-20 max-desk:relative max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-[9px]"
    >
      <RowHead>
        <Link
          href={rolloutHistoryPagePath(record)}
          prefetch={false}
          onFocus={onSelect}
          className="flex h-[30px] items-center gap-2 focus-visible:-outline-offset-2 max-desk:h-[22px] max-desk:text-[15px] max-desk:after:absolute max-desk:after:inset-0"
        >
          <Glyph name={appearance.glyph} className={appearance.color} />
          <b className="max-w-[75%] flex-none truncate">{record.name}</b>
          <span className="min-w-0 truncate text-small text-ink-3">{record.namespace}</span>
        </Link>
      </RowHead>
      <Td className="max-desk:hidden">{record.rollout?.value ?? <EmptyValue />}</Td>
      <Td className={`font-medium max-desk:[grid-area:2/1] max-desk:pl-[22px] ${appearance.color}`}>
        {appearance.word}
      </Td>
      <Td className="literal text-ink-2 max-desk:hidden">{record.releaseId?.value ?? <EmptyValue />}</Td>
      <Td className="text-small text-ink-2 max-desk:[grid-area:2/2]">
        {record.steps.length === 0 ? <EmptyValue /> : `${record.steps.length}, ${podsText(record)}`}
      </Td>
      <Td className="max-desk:[grid-area:3/1/4/3] max-desk:pl-[22px] max-desk:whitespace-normal">
        {record.findings.length === 0 ? (
          <span className="text-ink-3" title={record.message}>
            {record.message}
          </span>
        ) : (
          <span className="inline-flex flex-wrap items-center gap-1.5">
            {record.findings.map(({ code, text }) => (
              <Tag key={code} tone={code === 'shiplog' ? 'line' : 'risk'} title={text}>
                {findingLabel(code)}
              </Tag>
            ))}
          </span>
        )}
      </Td>
      <Td numeric className="text-small text-ink-2 max-desk:[grid-area:1/2] max-desk:leading-[22px]">
        <AbsoluteTime iso={record.createdAt} form="short" />
      </Td>
    </Tr>
  );
}

function EmptyValue() {
  return <span className="font-sans text-ink-3">none</span>;
}
