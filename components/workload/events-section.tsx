'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Glyph } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { type QueryAnswer, Waiting } from '@/components/shared/waiting';
import { SectionHead } from '@/components/ui/section-head';
import { SkeletonRows } from '@/components/ui/skeleton';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { AbsoluteTime } from '@/components/ui/time';
import type { EventItem, EventList } from '@/lib/api/pods';

const SHOWN_AT_FIRST = 8;
const TEXT_LENGTH_MAX = 600;

/** Events, the latest first, initially only warnings; each with its revision where that is known. */
export function EventsSection({
  events,
  pointed,
  onPoint,
  onRetry,
}: {
  events: QueryAnswer<EventList>;
  /** Id of the revision that is hovered elsewhere on the page. */
  pointed: string | null;
  onPoint: (revisionId: string | null) => void;
  onRetry: () => void;
}) {
  return (
    <section aria-labelledby="events" className="pt-[22px]">
      <SectionHead
        id="events"
        title="Events"
        remark={events.data && 'Kubernetes keeps them for about 1 hour'}
        className="mb-2"
      />
      <Waiting
        answer={events}
        loading={<SkeletonRows rows={3} label="Loading events" />}
        onRetry={onRetry}
        title="The events could not be loaded"
        missing="Without events."
        none={({ items }) =>
          items.length === 0 && <p className="text-small text-ink-3">No events in the last hour.</p>
        }
        className="mb-2"
      >
        {({ items }) => <EventTable items={items} pointed={pointed} onPoint={onPoint} />}
      </Waiting>
    </section>
  );
}

function EventTable({
  items,
  pointed,
  onPoint,
}: {
  items: readonly EventItem[];
  pointed: string | null;
  onPoint: (revisionId: string | null) => void;
}) {
  const [all, setAll] = useState(false);
  const ordered = items.toSorted((a, b) => timeOf(b) - timeOf(a));
  const warnings = ordered.filter(({ type }) => type === 'Warning');
  const shown = all ? ordered : (warnings.length > 0 ? warnings : ordered).slice(0, SHOWN_AT_FIRST);
  return (
    <>
      <Table label="Events" columns={['120px', '190px', '90px', 'auto', '230px', '70px']}>
        <Thead>
          <Th>Last seen</Th>
          <Th>Reason</Th>
          <Th>Revision</Th>
          <Th>Message</Th>
          <Th>Object</Th>
          <Th numeric>Times</Th>
        </Thead>
        <Tbody>
          {shown.map((event) => (
            <EventRow
              key={event.id}
              event={event}
              chosen={event.revisionId !== null && event.revisionId === pointed}
              onPoint={onPoint}
            />
          ))}
        </Tbody>
      </Table>
      {ordered.length > shown.length && (
        <Button size="small" tone="quiet" onClick={() => setAll(true)} className="mt-1.5">
          Show all {ordered.length}
        </Button>
      )}
    </>
  );
}

function EventRow({
  event,
  chosen,
  onPoint,
}: {
  event: EventItem;
  chosen: boolean;
  onPoint: (revisionId: string | null) => void;
}) {
  const isWarning = event.type === 'Warning';
  const when = event.last ?? event.first;
  return (
    <Tr
      chosen={chosen}
      onPointerEnter={() => onPoint(event.revisionId)}
      onPointerLeave={() => onPoint(null)}
      className="max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-2"
    >
      <RowHead className="text-small text-ink-2 max-desk:[grid-area:1/2]">
        {when === null ? 'unknown' : <AbsoluteTime iso={when} form="short" />}
      </RowHead>
      <Td
        className={
          isWarning ? 'font-medium text-degraded max-desk:[grid-area:1/1]' : 'max-desk:[grid-area:1/1]'
        }
      >
        {isWarning && <Glyph name="degraded" size={12} className="mr-1.5" />}
        {event.reason.slice(0, 120)}
      </Td>
      <Td className="font-mono text-code font-medium max-desk:hidden">{event.revision ?? ''}</Td>
      <Td
        title={event.message.slice(0, TEXT_LENGTH_MAX)}
        className="text-ink-2 max-desk:col-span-2 max-desk:whitespace-normal max-desk:[overflow-wrap:anywhere]"
      >
        {event.message.slice(0, TEXT_LENGTH_MAX)}
      </Td>
      <Td className="text-small text-ink-3" title={`${event.object.kind} ${event.object.name}`}>
        <span className="flex gap-1">
          {event.object.kind} <MiddleEllipsis text={event.object.name} className="literal" />
        </span>
      </Td>
      <Td numeric className="text-ink-3">
        {event.count > 1 ? event.count.toLocaleString('en') : ''}
      </Td>
    </Tr>
  );
}

function timeOf(event: EventItem): number {
  return Date.parse(event.last ?? event.first ?? '') || 0;
}
