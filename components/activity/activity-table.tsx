'use client';

import Link from 'next/link';
import { Glyph } from '@/components/ui/glyph';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';
import { AbsoluteTime } from '@/components/ui/time';
import { formatAction, stateFace } from '@/components/activity/action-text';
import { type ActivityItem } from '@/lib/api/activity';
import { actionPagePath } from '@/components/queries/action';
import { recordPagePath } from '@/components/queries/records';

const columns = ['104px', '140px', '17%', '11%', 'auto', '64px', '96px'];

/** Actions newest first; on a phone a few lines each. Refused and failed actions show the reason. */
export function ActivityTable({
  actions,
  current,
  onSelect,
  onActor,
}: {
  actions: readonly ActivityItem[];
  current: number;
  onSelect: (index: number) => void;
  onActor: (actor: string) => void;
}) {
  return (
    <Table label="Activity, newest first" columns={columns}>
      <Thead stickyTop="var(--top)">
        <Th>How it went</Th>
        <Th>What</Th>
        <Th>Workload</Th>
        <Th>Who</Th>
        <Th>In words</Th>
        <Th>Rollout</Th>
        <Th numeric>When</Th>
      </Thead>
      <Tbody>
        {actions.map((action, index) => (
          <Tr
            key={action.id}
            data-action={action.id}
            current={index === current}
            className="scroll-my-20 max-desk:relative max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-[9px]"
          >
            <Td className="align-top max-desk:[grid-area:2/2] desk:pt-[6px]">
              <StateCell action={action} />
            </Td>
            <Td className="align-top max-desk:[grid-area:2/1] desk:py-[6px] desk:leading-[19px] desk:whitespace-normal">
              <span className="font-medium">{formatAction(action)}</span>
              <Transition action={action} />
            </Td>
            <RowHead className="align-top max-desk:[grid-area:1/1] desk:pt-[6px]">
              <Link
                href={actionPagePath(action)}
                prefetch={false}
                onFocus={() => onSelect(index)}
                className="inline-flex max-w-full items-baseline gap-2 hover:underline focus-visible:-outline-offset-2 max-desk:after:absolute max-desk:after:inset-0"
              >
                <b className="truncate">{action.name}</b>
                <span className="truncate text-small text-ink-3">{action.namespace}</span>
              </Link>
            </RowHead>
            <Td className="align-top max-desk:hidden desk:pt-[6px]">
              <Actor action={action} onActor={onActor} />
            </Td>
            <Td className="py-[6px] align-top text-ink-2 max-desk:[grid-area:3/1/4/3] max-desk:py-0 max-desk:whitespace-normal desk:leading-[19px] desk:whitespace-normal">
              <Description action={action} />
            </Td>
            <Td className="align-top max-desk:[grid-area:4/1/5/3] desk:pt-[6px]">
              {action.recordId !== null && (
                <Link
                  href={recordPagePath(action.recordId)}
                  prefetch={false}
                  data-row-link=""
                  onFocus={() => onSelect(index)}
                  className="text-accent hover:underline max-desk:relative max-desk:z-10 max-desk:inline-block max-desk:py-1"
                >
                  record<span className="sr-only"> of the rollout of {action.name} that it began</span>
                </Link>
              )}
            </Td>
            <Td numeric className="align-top text-small text-ink-2 max-desk:[grid-area:1/2] desk:pt-[6px]">
              <AbsoluteTime iso={action.startedAt} form="short" />
            </Td>
          </Tr>
        ))}
      </Tbody>
    </Table>
  );
}

function StateCell({ action }: { action: ActivityItem }) {
  const { word, glyph, color } = stateFace(action);
  return (
    <span className={`inline-flex items-center gap-1.5 ${color}`}>
      <Glyph name={glyph} size={12} />
      {word}
    </span>
  );
}

/** From one revision to another, or from one step where the action's name does not name the step. */
function Transition({ action: { from, to, step, label } }: { action: ActivityItem }) {
  if (label !== undefined) return null;
  if (step !== null) {
    return (
      <span className="rev ml-1.5 text-ink-2">
        {step.from} → {step.to ?? 'end'}
      </span>
    );
  }
  if (to === null) return null;
  return (
    <span className="rev ml-1.5 text-ink-2">
      {from ?? '?'} → {to}
    </span>
  );
}

/** Shows the user that the API server authenticated, where that is another name. */
function Actor({ action, onActor }: { action: ActivityItem; onActor: (actor: string) => void }) {
  const { actor, identity } = action;
  return (
    <>
      <button
        type="button"
        title={`Only what ${actor} did`}
        onClick={() => onActor(actor)}
        className="max-w-full truncate text-start hover:underline"
      >
        {actor}
      </button>
      {identity !== null && identity !== actor && (
        <span className="block truncate text-small text-ink-3">as {identity}</span>
      )}
    </>
  );
}

function Description({ action: { actor, message, reason, apiMessage, findings } }: { action: ActivityItem }) {
  const isInMessage = (text: string) => message.includes(text);
  const more = findings.filter((finding) => !isInMessage(finding.message));
  return (
    <>
      <span className="desk:hidden">{actor}: </span>
      {message}
      {reason !== '' && <span className="ml-2 text-ink-3">“{reason}”</span>}
      {more.map(({ code, message: why }) => (
        <span key={code + why} className="block">
          {why}
        </span>
      ))}
      {apiMessage !== null && !isInMessage(apiMessage) && (
        <span className="block text-small break-words text-ink-3">The API server said: {apiMessage}</span>
      )}
    </>
  );
}
