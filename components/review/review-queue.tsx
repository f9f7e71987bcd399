'use client';

import { clsx } from 'clsx';
import { Button } from '@/components/ui/button';
import { MomentText } from '@/components/ui/moment-text';
import { OutcomeGlyph } from '@/components/shared/outcome-glyph';
import { FollowUps } from '@/components/review/follow-ups';
import { type RuleChange } from '@/components/review/review-address';
import { RuleChips } from '@/components/review/rule-chips';
import { type QueuedRecord, type ReviewQueue as Queue } from '@/lib/api/review-queue';
import {
  actorText,
  rolloutDurationText,
  outcomeText,
  transitionText,
  startMoment,
} from '@/lib/view/record-text';

/** The records that wait for a verdict, latest first, and the follow-ups. */
export function ReviewQueue({
  queue,
  rules,
  current,
  hasMore,
  onMore,
  onChoose,
  isChanged,
  onRules,
}: {
  queue: readonly QueuedRecord[];
  rules: Pick<Queue, 'rules' | 'namespaces' | 'teamLabel'>;
  current: string | null;
  hasMore: boolean;
  onMore: () => void;
  onChoose: (id: string | undefined) => void;
  /** Whether the address differs from the operator's defaults. */
  isChanged: boolean;
  onRules: (change: RuleChange) => void;
}) {
  return (
    <section aria-labelledby="queue-title" className="pt-4 desk:sticky desk:top-(--top)">
      <h2 id="queue-title" className="pb-2 text-lead font-semibold tracking-[-0.011em]">
        To review{' '}
        <span className="font-normal text-ink-3">
          {queue.length}
          {hasMore && '+'}
        </span>
      </h2>
      <RuleChips queue={rules} isChanged={isChanged} onChange={onRules} />
      <ol className="max-desk:max-h-[336px] max-desk:overflow-y-auto desk:-ml-2.5 desk:max-h-[max(240px,calc(100dvh-330px))] desk:overflow-y-auto">
        {queue.map((record) => (
          <li key={record.id} data-queued={record.id}>
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
      <FollowUps current={current} onChoose={onChoose} />
    </section>
  );
}

function QueueEntry({
  record,
  isCurrent,
  onChoose,
}: {
  record: QueuedRecord;
  isCurrent: boolean;
  onChoose: () => void;
}) {
  const details = [outcomeText(record), rolloutDurationText(record), actorText(record.actor)];
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
      <MomentText moment={startMoment(record)} form="short" className="text-[11px] text-ink-3" />
      <span className="col-start-2 col-end-5 truncate text-small text-ink-3">
        <span className="rev mr-1.5 text-ink-2">{transitionText(record)}</span>
        {details.filter((part) => part !== null).join(', ')}
      </span>
    </button>
  );
}
