'use client';

import Link from 'next/link';
import { useQuery } from '@tanstack/react-query';
import { describeRolloutState } from '@/components/rollouts/rollout-sentence';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import { rolloutAppearance, systemObject } from '@/components/rollouts/rollout-labels';
import { StepTrack } from '@/components/rollouts/step-track';
import { ButtonLink } from '@/components/ui/button';
import { errorText } from '@/components/ui/error-state';
import { SectionHead } from '@/components/ui/section-head';
import { Skeleton } from '@/components/ui/skeleton';
import { rolloutPagePath, rolloutQuery, type RolloutRef } from '@/components/queries/rollouts';

/**
 * The progressive rollout of a workload, on the workload's page: its progress, its steps, and a link to its own page.
 */
export function RolloutPanel({
  rollout: ref,
  onStep,
}: {
  rollout: RolloutRef;
  /** Opens the page of the rollout with the pods of a step. */
  onStep: (step: number) => void;
}) {
  const { data, error } = useQuery(rolloutQuery(ref));
  return (
    <section aria-labelledby="progressive" className="pt-[22px]">
      <SectionHead
        id="progressive"
        title="Rollout"
        remark={
          <>
            {data ? `${systemObject(data.rollout.system)} ` : 'Rollout '}
            <Link href={rolloutPagePath(ref)} className="rounded-2 text-accent underline underline-offset-2">
              {ref.name}
            </Link>
          </>
        }
        end={
          <ButtonLink size="small" href={rolloutPagePath(ref)} glyphAfter="chevron-right">
            Open rollout
          </ButtonLink>
        }
      />
      {data === undefined ? (
        error === null ? (
          <Skeleton width="100%" height={110} className="mt-2" />
        ) : (
          <p className="pt-1 text-ink-2">{errorText(error)}</p>
        )
      ) : (
        <>
          <p className="pt-1">
            <span className={`font-medium ${rolloutAppearance[data.rollout.state].color}`}>
              <span className="mr-1.5 inline-flex translate-y-0.5">
                <RolloutGlyph rollout={data.rollout} />
              </span>
              {describeRolloutState(data.rollout).lead}
            </span>{' '}
            {describeRolloutState(data.rollout).rest}
          </p>
          {data.rollout.steps.length > 0 && (
            <StepTrack
              rollout={data.rollout}
              chosen={null}
              onChoose={(step) => step !== null && onStep(step)}
            />
          )}
        </>
      )}
    </section>
  );
}
