'use client';

import Link from 'next/link';
import { outcomeColor, OutcomeGlyph } from '@/components/shared/outcome-glyph';
import { MomentText } from '@/components/ui/moment-text';
import { AbsoluteTime, Elapsed } from '@/components/ui/time';
import type { TimelineItem } from '@/lib/api/timeline';
import { actorText } from '@/lib/view/record-text';
import { recordPagePath } from '@/components/queries/records';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { describeOutcome, transitionLabel } from '@/lib/timeline/fleet-text';
import { momentOf } from '@/lib/format/moment';
import { ClusterTag } from '@/components/shared/cluster-tag';

/** What is known of one rollout, with links. */
export function RolloutCard({ item }: { item: TimelineItem }) {
  const { workload, spans, actor, cause, summary } = item;
  const currentSpan = spans.find(({ to }) => to === null) ?? spans.at(-1);
  return (
    <div className="grid gap-1 rounded-3 border border-line bg-raised p-3 text-small whitespace-normal shadow-menu">
      <p className="flex items-center gap-2">
        <OutcomeGlyph record={item} />
        <b className="truncate text-body">{workload.name}</b>
        <span className="truncate text-ink-3">{workload.namespace}</span>
        <ClusterTag cluster={workload.cluster} className="flex-none" />
        <span className="ml-auto rev">{transitionLabel(item)}</span>
      </p>
      <p>
        <span className={`font-medium ${outcomeColor(item)}`}>{describeOutcome(item)}</span>
        {currentSpan !== undefined && <span className="text-ink-2">: {currentSpan.reason}</span>}
      </p>
      <p className="text-ink-2">
        <MomentText moment={momentOf(item.startedAt, null, item.startedNotAfter)} />
        {item.outcome === null && item.startedAt !== null && (
          <>
            , for <Elapsed from={item.startedAt} />
          </>
        )}
        {item.outcome !== null && item.outcome !== 'unknown' && item.endedAt !== null && (
          <>
            {' '}
            to <AbsoluteTime iso={item.endedAt} form="clock" />
          </>
        )}
        {item.unwatched.length > 0 && <span className="text-ink-3">, partly unobserved</span>}
      </p>
      {!item.restart && summary !== '' && <p className="line-clamp-3 text-ink-2">{summary}</p>}
      <p className="text-ink-3">
        {actorText(actor) ?? 'Author unknown'}
        {cause !== null && `: ${cause}`}
      </p>
      <p className="mt-1 flex gap-4">
        <Link
          href={recordPagePath(item.id)}
          prefetch={false}
          tabIndex={-1}
          className="text-accent hover:underline"
        >
          Record
        </Link>
        <Link
          href={workloadPagePath(workload)}
          prefetch={false}
          tabIndex={-1}
          className="text-accent hover:underline"
        >
          {workload.name}
        </Link>
      </p>
    </div>
  );
}
