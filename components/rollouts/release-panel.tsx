'use client';

import Link from 'next/link';
import { useQuery } from '@tanstack/react-query';
import { sayRelease } from '@/components/rollouts/release-sentence';
import { RolloutGlyph } from '@/components/rollouts/rollout-state';
import { rolloutFaces, systemObject } from '@/components/rollouts/rollout-words';
import { StepTrack } from '@/components/rollouts/step-track';
import { ButtonLink } from '@/components/ui/button';
import { sentenceOf } from '@/components/ui/error-state';
import { SectionHead } from '@/components/ui/section-head';
import { Skeleton } from '@/components/ui/skeleton';
import { type RolloutItem } from '@/lib/api/rollouts';
import { rolloutPagePath, rolloutQuery, type RolloutRef } from '@/lib/queries/rollouts';
import { approveVerb } from '@/lib/rollout/action-verbs';
import { capitalised } from '@/lib/workloads/words';

/** The release that moves a workload, on the page of that: where it stands, its steps, and the way to its own page. */
export function ReleasePanel({
  rollout: ref,
  onStep,
}: {
  rollout: RolloutRef;
  /** Asks for the page of the release with the pods of a step. */
  onStep: (step: number) => void;
}) {
  const { data, error } = useQuery(rolloutQuery(ref));
  return (
    <section aria-labelledby="release" className="pt-[22px]">
      <SectionHead
        id="release"
        title="Release"
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
            {openLabel(data?.rollout)}
          </ButtonLink>
        }
      />
      {data === undefined ? (
        error === null ? (
          <Skeleton width="100%" height={110} className="mt-2" />
        ) : (
          <p className="pt-1 text-ink-2">{sentenceOf(error)}</p>
        )
      ) : (
        <>
          <p className="pt-1">
            <span className={`font-medium ${rolloutFaces[data.rollout.state].color}`}>
              <span className="mr-1.5 inline-flex translate-y-0.5">
                <RolloutGlyph rollout={data.rollout} />
              </span>
              {sayRelease(data.rollout).lead}
            </span>{' '}
            {sayRelease(data.rollout).rest}
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

/** What there is to do about it, where somebody has to. */
function openLabel(rollout: RolloutItem | undefined): string {
  if (rollout?.state !== 'waiting') return 'Open the release';
  const allowed = rollout.actions.filter((action) => action.allowed).map(({ name }) => name);
  const words = [
    allowed.includes('approve') ? approveVerb(rollout) : null,
    allowed.includes('jump') ? 'jump' : null,
    allowed.includes('rollback') || allowed.includes('abort') ? 'abort' : null,
  ].filter((word) => word !== null);
  return words.length === 0 ? 'Open the release' : capitalised(words.join(', '));
}
