'use client';

import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { parseAsInteger, parseAsStringLiteral, useQueryStates } from 'nuqs';
import { RolloutStrip } from '@/components/action-dialog/rollout-strip';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import { LoadedRollout } from '@/components/rollouts/loaded-rollout';
import { ObjectError } from '@/components/shared/object-error';
import { Waiting } from '@/components/shared/waiting';
import { Crumbs } from '@/components/ui/crumbs';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import { useClusterOfPage } from '@/components/shared/cluster-of-page';
import { AppError } from '@/lib/errors';
import { rolloutQuery, type RolloutRef, rolloutDiffQuery } from '@/components/queries/rollouts';
import { rolloutActionNames } from '@/lib/api/action-values';
import { ChangeList, countChanges } from '@/components/action-dialog/change-list';
import { errorText } from '@/components/ui/error-state';
import { TextLink } from '@/components/ui/link';
import { SectionHead } from '@/components/ui/section-head';
import type { RolloutItem } from '@/lib/api/rollouts';
import { diffQuery } from '@/components/queries/diff';
import { comparisonOf, comparisonPath } from '@/components/queries/revision-comparison';

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

const parsers = {
  /** The step whose pods are shown. */
  step: parseAsInteger,
  pods: parseAsStringLiteral(['updated', 'stable']).withDefault('updated'),
  /** The dialog that is open. */
  action: parseAsStringLiteral(rolloutActionNames),
};

/** The state of a rollout's page as stored in the address. */
function useRolloutAddress() {
  const [address, setAddress] = useQueryStates(parsers);
  const note = useCallback(
    (change: Parameters<typeof setAddress>[0]) => void setAddress(change, { history: 'replace' }),
    [setAddress],
  );
  const step = useCallback(
    (change: Parameters<typeof setAddress>[0]) => void setAddress(change, { history: 'push' }),
    [setAddress],
  );
  return { address, note, step };
}

const NO_COMPARISON = {
  history: { cluster: undefined, resource: '', namespace: '', name: '' },
  from: '',
  to: '',
};

/** What the rollout changes: the semantic difference from the stable revision to the new one. */
function RolloutComparison({ rollout }: { rollout: RolloutItem }) {
  const comparison = comparisonOf(rollout);
  const { history, from, to } = comparison ?? NO_COMPARISON;
  // Two workloads without a common history.
  const isApart = comparison === null && rollout.revisions.summary !== null;
  const ofHistory = useQuery({ ...diffQuery(history, { from, to }), enabled: comparison !== null });
  const ofRollout = useQuery({ ...rolloutDiffQuery(rollout), enabled: isApart });
  const { data, error } = isApart ? ofRollout : ofHistory;
  if (!isApart && (comparison === null || from === to)) return null;
  return (
    <section aria-labelledby="changes" className="pt-6">
      <SectionHead
        id="changes"
        title="Changes"
        remark={data && `${data.from.label} → ${data.to.label}, ${countChanges(data)}`}
        className="mb-1.5"
        end={comparison !== null && <TextLink href={comparisonPath(comparison)}>Compare with YAML</TextLink>}
      />
      {error !== null ? (
        <p className="border-t border-line pt-2 text-ink-2">{errorText(error)}</p>
      ) : data === undefined ? (
        <SkeletonRows rows={2} label="Comparing" rowHeight={31} />
      ) : (
        <ChangeList diff={data} />
      )}
    </section>
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
