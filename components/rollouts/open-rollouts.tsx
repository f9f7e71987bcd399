'use client';

import Link from 'next/link';
import { clsx } from 'clsx';
import { rolloutStateLabel } from '@/components/rollouts/rollout-sentence';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import { revisionTag, rolloutAppearance } from '@/components/rollouts/rollout-labels';
import { type QueryAnswer, Waiting } from '@/components/shared/waiting';
import { errorText } from '@/components/ui/error-state';
import { SkeletonRows } from '@/components/ui/skeleton';
import type { RolloutItem } from '@/lib/api/rollouts';
import { rolloutPagePath, type RolloutRef } from '@/components/queries/rollouts';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { stepNoun } from '@/lib/rollout/style-text';

/** The rollouts in progress, next to the page of one of them. */
export function OpenRollouts({
  answer,
  total,
  current,
  onRetry,
}: {
  answer: QueryAnswer<readonly RolloutItem[]>;
  total: number;
  current: RolloutRef;
  onRetry: () => void;
}) {
  return (
    <aside
      aria-labelledby="open-rollouts"
      className="sticky top-(--top) h-[calc(100vh-var(--top)-var(--foot))] overflow-y-auto border-r border-line pt-4 pr-4 max-full:hidden"
    >
      <h2 id="open-rollouts" className="pb-2 font-semibold">
        Progressive{' '}
        {answer.data && <span className="font-normal text-ink-3">{total.toLocaleString('en')}</span>}
      </h2>
      <Waiting
        answer={answer}
        loading={<SkeletonRows rows={4} label="Loading rollouts" rowHeight={50} />}
        failed={(error) => (
          <p className="text-small text-ink-3">Could not load rollouts. {errorText(error)}</p>
        )}
        none={(rollouts) => rollouts.length === 0 && <p className="text-small text-ink-3">None.</p>}
        onRetry={onRetry}
        className="mb-2"
      >
        {(rollouts) => (
          <ul className="-ml-2.5">
            {rollouts.map((rollout) => (
              <li key={rollout.uid}>
                <Link
                  href={rolloutPagePath(rollout)}
                  aria-current={isSame(rollout, current) ? 'page' : undefined}
                  className={clsx(
                    'grid grid-cols-[14px_minmax(0,1fr)_auto] items-center gap-x-2 rounded-3 px-2.5 py-[7px] focus-visible:-outline-offset-2',
                    isSame(rollout, current) ? 'bg-selected' : 'hover:bg-hover',
                  )}
                >
                  <RolloutGlyph rollout={rollout} />
                  <b className="flex min-w-0">
                    <MiddleEllipsis text={rollout.name} />
                  </b>
                  <span className="rev text-[11px] font-normal text-ink-3">
                    {rollout.revisions.updated !== null && revisionTag(rollout.revisions.updated)}
                  </span>
                  <span className="col-start-2 col-end-4 truncate text-small text-ink-3">
                    <span className={clsx('font-medium', rolloutAppearance[rollout.state].color)}>
                      {rolloutStateLabel(rollout)}
                    </span>{' '}
                    {rollout.step.index > 0 && `${stepNoun(rollout)} ${rollout.step.index}`}
                  </span>
                </Link>
              </li>
            ))}
          </ul>
        )}
      </Waiting>
    </aside>
  );
}

export function isSame(rollout: RolloutItem, { resource, namespace, name }: RolloutRef): boolean {
  return rollout.resource === resource && rollout.namespace === namespace && rollout.name === name;
}
