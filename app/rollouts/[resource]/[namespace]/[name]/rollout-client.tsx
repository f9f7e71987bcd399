'use client';

import { useQuery } from '@tanstack/react-query';
import { RolloutStrip } from '@/components/action-dialog/rollout-strip';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import { LoadedRollout } from '@/components/rollouts/loaded-rollout';
import { ObjectError } from '@/components/shared/object-error';
import { Waiting } from '@/components/shared/waiting';
import { Crumbs } from '@/components/ui/crumbs';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { useClusterOfPage } from '@/components/shared/cluster-of-page';
import { AppError } from '@/lib/errors';
import { rolloutQuery, type RolloutRef } from '@/components/queries/rollouts';
import { RolloutComparison } from './rollout-comparison';
import { useRolloutAddress } from './use-rollout-address';

/** One progressive rollout: its progress, its steps with their pods, and its actions. */
export function RolloutClient({ rollout }: { rollout: RolloutRef }) {
  const { data, error, refetch } = useQuery(rolloutQuery(rollout));
  const { address, note, step } = useRolloutAddress();
  const retry = () => void refetch();
  useClusterOfPage(rollout, data?.rollout.cluster);
  const isDeleted = data !== undefined && error instanceof AppError && error.code === 'not_found';
  return (
    <>
      {data === undefined && (
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
      )}
      <Waiting
        answer={{ data, error: isDeleted ? null : error }}
        loading={<LoadingRollout />}
        failed={(failure) => (
          <ObjectError
            what={`${rollout.namespace}/${rollout.name}`}
            error={failure}
            onRetry={retry}
            className="mt-3"
          />
        )}
        onRetry={retry}
        missing="Incomplete."
        className="mt-3"
      >
        {(detail) => (
          <>
            <LoadedRollout
              detail={detail}
              isDeleted={isDeleted}
              step={address.step}
              side={address.pods}
              onStep={(at) => note({ step: at, pods: null })}
              onSide={(pods) => note({ pods })}
              onAction={(action) => step({ action })}
              onRetry={retry}
              strip={
                <RolloutStrip rollout={rollout} detail={detail} onAction={(action) => step({ action })} />
              }
              comparison={<RolloutComparison rollout={detail.rollout} />}
            />
            <LazyActionDialog
              action={
                address.action === null ? null : { kind: 'rollout', object: rollout, name: address.action }
              }
              onClose={() => note({ action: null })}
            />
          </>
        )}
      </Waiting>
    </>
  );
}

function LoadingRollout() {
  return (
    <div className="pt-3">
      <h1 className="sr-only">Rollout</h1>
      <Skeleton width="min(560px, 85%)" height={20} />
      <Skeleton width="100%" height={10} className="mt-8" />
      <Skeleton width="100%" height={118} className="mt-6" />
      <div className="mt-6 border-t border-line">
        <SkeletonRows rows={6} label="Loading the rollout" rowHeight={31} />
      </div>
    </div>
  );
}
