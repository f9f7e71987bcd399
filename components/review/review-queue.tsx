'use client';

import { Button } from '@/components/ui/button';
import { Chip } from '@/components/ui/chip';
import { Kbd } from '@/components/ui/kbd';
import { FollowUps } from '@/components/review/follow-ups';
import { QueueEntries } from '@/components/review/queue-entries';
import type { QueueSection } from '@/components/review/queue-order';
import type { QueueSelection } from '@/components/review/queue-selection';
import type { RuleChange } from '@/components/review/review-address';
import { RuleChips } from '@/components/review/rule-chips';
import type { ReviewQueue as Queue } from '@/lib/api/review-queue';
import { formatCount } from '@/lib/format/text';
import { useQuery } from '@tanstack/react-query';
import { TextLink } from '@/components/ui/link';
import { reportQuery } from '@/components/queries/review';
import { formatRate } from '@/lib/view/report-text';
import { useClusterFilter } from '@/components/shared/cluster-filter';

/** The records that wait for a verdict, what to select of them, and the follow-ups. */
export function ReviewQueue({
  sections,
  count,
  rules,
  quick,
  selection,
  current,
  hasMore,
  onMore,
  onChoose,
  isChanged,
  onRules,
}: {
  sections: readonly QueueSection[];
  count: number;
  rules: Pick<Queue, 'rules' | 'namespaces' | 'teamLabel'>;
  /** Ids of the quick successes. */
  quick: readonly string[];
  /** Null where the viewer cannot write. */
  selection: QueueSelection | null;
  current: string | null;
  hasMore: boolean;
  onMore: () => void;
  onChoose: (id: string | undefined) => void;
  /** Whether the address differs from the operator's defaults. */
  isChanged: boolean;
  onRules: (change: RuleChange) => void;
}) {
  return (
    <section
      aria-labelledby="queue-title"
      className="pt-4 desk:-ml-2.5 desk:pl-2.5 desk:sticky desk:top-(--top) desk:flex desk:max-h-[calc(100dvh-var(--top)-var(--foot))] desk:flex-col desk:overflow-y-auto desk:pb-3 low:static"
    >
      <h2 id="queue-title" className="pb-1 text-lead font-semibold tracking-[-0.011em]">
        To review{' '}
        <span className="font-normal text-ink-3">
          {count}
          {hasMore && '+'}
        </span>
      </h2>
      <WeekLine />
      <RuleChips queue={rules} isChanged={isChanged} onChange={onRules} />
      {selection && quick.length > 1 && (
        <p className="pb-1">
          <Chip
            pressed={quick.every((id) => selection.ids.has(id))}
            title="Completed within 10 minutes, without a stall or a wait, and not reverted"
            onClick={() => selection.toggle(quick)}
          >
            Select {formatCount(quick.length, 'quick success', 'quick successes')}
            <Kbd className="max-desk:hidden">a</Kbd>
          </Chip>
        </p>
      )}
      <div className="desk:-ml-2.5 desk:min-h-[200px] desk:flex-1 desk:overflow-y-auto">
        <QueueEntries sections={sections} current={current} onChoose={onChoose} selection={selection} />
        {hasMore && (
          <p className="ml-2.5 pt-1 text-small text-ink-3">
            The order is that of the latest {formatCount(count, 'rollout')}.
            <Button size="small" tone="quiet" onClick={onMore} className="-ml-2">
              Load older rollouts
            </Button>
          </p>
        )}
      </div>
      <FollowUps current={current} onChoose={onChoose} />
    </section>
  );
}

/** The week in one line, as a link to its report; without figures while they are not there. */
function WeekLine() {
  const { data } = useQuery(reportQuery({ from: '7d', by: 'namespace', ...useClusterFilter() }));
  return (
    <p className="pb-2 text-small text-ink-3">
      <TextLink href="/review/report">Last 7 days</TextLink>
      {data &&
        `: ${formatCount(data.total.rollouts, 'rollout')}, change failure rate ${formatRate(data.total.changeFailureRate)}`}
    </p>
  );
}
