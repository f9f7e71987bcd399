'use client';

import { clsx } from 'clsx';
import { Button, IconButton } from '@/components/ui/button';
import { Chip, ChipRow } from '@/components/ui/chip';
import { MomentText } from '@/components/ui/moment-text';
import { OutcomeGlyph } from '@/components/ui/outcome-glyph';
import { type RecordItem } from '@/lib/api/records';
import { actorText, tookText, outcomeText, passageOf, startOf } from '@/lib/ledger/record-words';

type Filter = { only?: 'failed' | null; namespace?: string | null };

/** What waits, newest first. On a phone a line with two arrows, and the list below it when asked for. */
export function ReviewQueue({
  queue,
  current,
  hasMore,
  onMore,
  onChoose,
  only,
  namespace,
  onFilter,
}: {
  queue: readonly RecordItem[];
  current: string | null;
  hasMore: boolean;
  onMore: () => void;
  onChoose: (id: string | undefined) => void;
  only: 'failed' | null;
  namespace: string | null;
  onFilter: (change: Filter) => void;
}) {
  const index = queue.findIndex(({ id }) => id === current);
  const namespaces = [...new Set(queue.map((record) => record.workload.namespace))].sort();
  return (
    <section aria-labelledby="queue-title" className="pt-4 desk:sticky desk:top-(--top)">
      <div className="flex items-baseline gap-2 pb-2">
        <h2 id="queue-title" className="text-lead font-semibold tracking-[-0.011em]">
          To review{' '}
          <span className="font-normal text-ink-3">
            {queue.length}
            {hasMore && '+'}
          </span>
        </h2>
        <span className="ml-auto flex gap-1 desk:hidden">
          <IconButton
            glyph="chevron-left"
            label="Previous record"
            disabled={index <= 0}
            onClick={() => onChoose(queue[index - 1]?.id)}
          />
          <IconButton
            glyph="chevron-right"
            label="Next record"
            disabled={index === queue.length - 1}
            onClick={() => onChoose(queue[index + 1]?.id)}
          />
        </span>
      </div>
      <ChipRow label="What to review" className="pb-2">
        <Chip pressed={only === 'failed'} onClick={() => onFilter({ only: only === null ? 'failed' : null })}>
          Failed or rolled back
        </Chip>
        {(namespace !== null ? [namespace] : namespaces.length > 1 ? namespaces.slice(0, 6) : []).map(
          (name) => (
            <Chip
              key={name}
              pressed={namespace === name}
              onClick={() => onFilter({ namespace: namespace === name ? null : name })}
            >
              {name}
            </Chip>
          ),
        )}
      </ChipRow>
      <ol className="max-desk:max-h-[168px] max-desk:overflow-y-auto desk:-ml-2.5 desk:max-h-[calc(100dvh-190px)] desk:overflow-y-auto">
        {queue.map((record) => (
          <li key={record.id}>
            <QueueEntry
              record={record}
              isCurrent={record.id === current}
              onChoose={() => onChoose(record.id)}
            />
          </li>
        ))}
      </ol>
      {hasMore && (
        <Button size="small" tone="quiet" onClick={onMore}>
          Show older ones
        </Button>
      )}
    </section>
  );
}

function QueueEntry({
  record,
  isCurrent,
  onChoose,
}: {
  record: RecordItem;
  isCurrent: boolean;
  onChoose: () => void;
}) {
  const details = [outcomeText(record), tookText(record), actorText(record.actor)];
  return (
    <button
      type="button"
      aria-current={isCurrent || undefined}
      onClick={onChoose}
      className={clsx(
        'grid w-full grid-cols-[14px_minmax(0,auto)_minmax(0,1fr)_auto] items-center gap-x-2 gap-y-px rounded-3 px-2.5 py-2 focus-visible:-outline-offset-2',
        isCurrent ? 'bg-selected' : 'hover:bg-hover',
      )}
    >
      <OutcomeGlyph record={record} />
      <b className="truncate">{record.workload.name}</b>
      <span className="truncate text-small text-ink-3">{record.workload.namespace}</span>
      <MomentText moment={startOf(record)} form="short" className="text-[11px] text-ink-3" />
      <span className="col-start-2 col-end-5 truncate text-small text-ink-3">
        <span className="rev mr-1.5 text-ink-2">{passageOf(record)}</span>
        {details.filter((part) => part !== null).join(', ')}
      </span>
    </button>
  );
}
