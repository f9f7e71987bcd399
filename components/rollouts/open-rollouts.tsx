'use client';

import Link from 'next/link';
import { clsx } from 'clsx';
import { rolloutStateLabel } from '@/components/rollouts/release-sentence';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import { revisionTag, rolloutAppearance } from '@/components/rollouts/rollout-labels';
import { errorText } from '@/components/ui/error-state';
import { SkeletonRows } from '@/components/ui/skeleton';
import { type RolloutItem } from '@/lib/api/rollouts';
import { rolloutPagePath, type RolloutRef } from '@/components/queries/rollouts';
import { stepNoun } from '@/lib/rollout/style-text';

/** The rollouts in progress, next to the page of one of them. */
export function OpenRollouts({
  rollouts,
  error,
  total,
  current,
}: {
  /** Undefined while they are loading. */
  rollouts: readonly RolloutItem[] | undefined;
  /** Why there are none, or no newer ones. */
  error: Error | null;
  total: number;
  current: RolloutRef;
}) {
  return (
    <aside
      aria-labelledby="open-rollouts"
      className="sticky top-(--top) h-[calc(100vh-var(--top)-var(--foot))] overflow-y-auto border-r border-line pt-4 pr-4 max-full:hidden"
    >
      <h2 id="open-rollouts" className="pb-2 font-semibold">
        In progress or failed{' '}
        {rollouts && <span className="font-normal text-ink-3">{total.toLocaleString('en')}</span>}
      </h2>
      {rollouts === undefined && error !== null && (
        <p className="text-small text-ink-3">They could not be loaded. {errorText(error)}</p>
      )}
      {rollouts === undefined && error === null && (
        <SkeletonRows rows={4} label="Loading rollouts" rowHeight={50} />
      )}
      {rollouts !== undefined && total === 0 && <p className="text-small text-ink-3">None.</p>}
      <ul className="-ml-2.5">
        {rollouts?.map((rollout) => (
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
              <b className="truncate">{rollout.name}</b>
              <span className="rev text-[11px] font-normal text-ink-3">
                {rollout.revisions.updated !== null && revisionTag(rollout.revisions.updated)}
              </span>
              <span className="col-start-2 col-end-4 truncate text-small text-ink-3">
                <span className={clsx('font-medium', rolloutAppearance[rollout.state].color)}>
                  {rolloutStateLabel(rollout)}
                </span>{' '}
                {rollout.step.index > 0 &&
                  `${stepNoun(rollout)} ${rollout.step.index} of ${rollout.step.total}`}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </aside>
  );
}

export function isSame(rollout: RolloutItem, { resource, namespace, name }: RolloutRef): boolean {
  return rollout.resource === resource && rollout.namespace === namespace && rollout.name === name;
}
