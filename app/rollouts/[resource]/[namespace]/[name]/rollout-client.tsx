'use client';

import { useQuery } from '@tanstack/react-query';
import { RolloutStrip } from '@/components/action-dialog/rollout-strip';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import { Release } from '@/components/rollouts/release';
import { Crumbs } from '@/components/ui/crumbs';
import { ErrorState } from '@/components/ui/error-state';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { AppError } from '@/lib/errors';
import { rolloutQuery, type RolloutRef } from '@/components/queries/rollouts';
import { RolloutComparison } from './rollout-comparison';
import { useRolloutAddress } from './use-rollout-address';

/** One progressive rollout: its progress, its steps with their pods, and its actions. */
export function RolloutClient({ rollout }: { rollout: RolloutRef }) {
  const { data, error, refetch } = useQuery(rolloutQuery(rollout));
  const { address, note, step } = useRolloutAddress();
  const retry = () => void refetch();
  if (data === undefined) {
    return (
      <>
        <Crumbs
          items={[
            { label: 'Rollouts', href: '/rollouts' },
            {
              label: rollout.namespace,
              href: `/rollouts?${new URLSearchParams({ namespace: rollout.namespace })}`,
            },
            { label: rollout.name },
          ]}
        />
        {error === null ? (
          <LoadingRelease />
        ) : (
          <ErrorState error={error} heading="h1" onRetry={retry} className="mt-4" />
        )}
      </>
    );
  }
  const isDeleted = error instanceof AppError && error.code === 'not_found';
  return (
    <>
      <Release
        detail={data}
        isDeleted={isDeleted}
        error={
          error !== null &&
          !isDeleted && (
            <ErrorState
              error={error}
              title="There is no newer answer; this is what was read last"
              onRetry={retry}
              className="mt-3"
            />
          )
        }
        step={address.step}
        side={address.pods}
        onStep={(at) => note({ step: at, pods: null })}
        onSide={(pods) => note({ pods })}
        onAction={(action) => step({ action })}
        onRetry={retry}
        strip={<RolloutStrip rollout={rollout} detail={data} onAction={(action) => step({ action })} />}
        comparison={<RolloutComparison rollout={data.rollout} />}
      />
      <LazyActionDialog
        action={address.action === null ? null : { kind: 'rollout', object: rollout, name: address.action }}
        onClose={() => note({ action: null })}
      />
    </>
  );
}

function LoadingRelease() {
  return (
    <div className="pt-3">
      <h1 className="sr-only">Rollout</h1>
      <Skeleton width="min(560px, 85%)" height={20} />
      <Skeleton width="100%" height={10} className="mt-8" />
      <Skeleton width="100%" height={118} className="mt-6" />
      <div className="mt-6 border-t border-line">
        <SkeletonRows rows={6} label="Reading the rollout" rowHeight={31} />
      </div>
    </div>
  );
}
