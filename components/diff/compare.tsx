'use client';

import { useQuery } from '@tanstack/react-query';
import { ChangeCounts } from '@/components/diff/change-counts';
import { ChangeTable } from '@/components/diff/change-table';
import { CompareHead } from '@/components/diff/compare-head';
import { NoiseList, NoiseSwitch } from '@/components/diff/noise';
import { defaultSidePair, type SidePair } from '@/components/diff/sides';
import { useCompareAddress } from '@/components/diff/use-compare-address';
import { YamlSection } from '@/components/diff/yaml-section';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { Waiting } from '@/components/shared/waiting';
import { RevertedRolloutLine } from '@/components/shared/related-change-line';
import { Notice } from '@/components/ui/notice';
import { Skeleton, SkeletonRows } from '@/components/ui/skeleton';
import type { Diff } from '@/lib/api/diff';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { clusterParam } from '@/components/queries/cluster';
import { ObjectError } from '@/components/shared/object-error';
import { diffQuery } from '@/components/queries/diff';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import { Button } from '@/components/ui/button';
import { AppError } from '@/lib/errors';

/**
 * The difference between two sides of a workload's history: the changes, or both sides as YAML. The address holds the
 * pair and the view.
 */
export function Compare({
  workload,
  onRollback,
}: {
  workload: WorkloadRef;
  /** Opens the dialog with the revision of this id. */
  onRollback: (revisionId: string) => void;
}) {
  const address = useCompareAddress();
  const detail = useQuery(workloadDetailQuery(workload));
  return (
    <Waiting
      answer={detail}
      loading={<LoadingComparison />}
      onRetry={() => void detail.refetch()}
      className="mt-4"
      failed={(error) => (
        <ObjectError
          what={`${workload.namespace}/${workload.name}`}
          workload={workload}
          error={error}
          onRetry={() => void detail.refetch()}
          className="mt-4"
        />
      )}
    >
      {(loaded) => {
        const fallback = defaultSidePair(loaded);
        const from = address.from ?? fallback?.from;
        const to = address.to ?? fallback?.to;
        if (from === undefined || to === undefined) return <NoRevisions name={workload.name} />;
        return (
          <PairComparison
            workload={{ ...workload, cluster: loaded.workload.cluster }}
            detail={loaded}
            pair={{ from, to }}
            address={address}
            onRollback={onRollback}
          />
        );
      }}
    </Waiting>
  );
}

function PairComparison({
  workload,
  detail,
  pair,
  address,
  onRollback,
}: {
  workload: WorkloadRef;
  detail: WorkloadDetail;
  pair: SidePair;
  address: ReturnType<typeof useCompareAddress>;
  onRollback: (revisionId: string) => void;
}) {
  const { data, error, isPlaceholderData, refetch } = useQuery(diffQuery(workload, pair));
  const diff = data && withClusters(data, clusterParam(workload.cluster));
  const current = error ? undefined : diff;
  return (
    <>
      <CompareHead
        workload={workload}
        detail={detail}
        pair={pair}
        diff={isPlaceholderData ? undefined : current}
        onShow={address.show}
        yaml={address.yaml}
        onToggleYaml={() => address.unfold({ yaml: !address.yaml })}
        onRollback={onRollback}
      />
      <Waiting
        answer={{ data: current, error }}
        loading={<LoadingResult />}
        onRetry={() => void refetch()}
        failed={(failure) => (
          <div className="pt-4">
            <CompareError
              error={failure}
              onRetry={() => void refetch()}
              onReplace={(ref, id) => address.show(withReplaced(pair, ref, id))}
            />
          </div>
        )}
      >
        {(loaded) => (
          <div
            className={isPlaceholderData ? 'opacity-50 transition-opacity' : undefined}
            aria-busy={isPlaceholderData}
          >
            <ComparisonResult name={workload.name} diff={loaded} address={address} />
            {address.yaml && <YamlSection workload={workload} sides={pair} />}
          </div>
        )}
      </Waiting>
    </>
  );
}

/** Names the cluster of each side where they differ, wherever the sides are named. */
function withClusters(diff: Diff, own: string | undefined): Diff {
  const [from = own, to = own] = [diff.from.cluster, diff.to.cluster];
  if (from === to) return diff;
  const named = (side: Diff['from'], cluster: string | undefined) => ({
    ...side,
    label: `${sideName(side)} in ${cluster}`,
  });
  return { ...diff, from: named(diff.from, from), to: named(diff.to, to) };
}

function ComparisonResult({
  name,
  diff,
  address,
}: {
  name: string;
  diff: Diff;
  address: ReturnType<typeof useCompareAddress>;
}) {
  return (
    <>
      <h1 className="max-w-[62em] pt-4 text-say text-pretty [overflow-wrap:anywhere] max-desk:text-[18px]/[25px]">
        {describeDiff(name, diff)}
      </h1>
      {diff.reverts && <RevertedRolloutLine reverted={diff.reverts} className="pt-1.5" />}
      {diff.echoNote && <p className="pt-1.5 text-small text-ink-2">{diff.echoNote}</p>}
      <ChangeCounts diff={diff}>
        <NoiseSwitch
          noise={diff.noise}
          open={address.noise}
          onToggle={() => address.unfold({ noise: !address.noise })}
        />
      </ChangeCounts>
      {diff.explanation && (
        <Notice tone="info" title="Formatting only." className="mb-4">
          {diff.explanation}
        </Notice>
      )}
      {address.noise && diff.noise.length > 0 && <NoiseList noise={diff.noise} />}
      {address.yaml ? null : diff.changes.length > 0 ? (
        <ChangeTable key={`${diff.from.ref} ${diff.to.ref}`} diff={diff} />
      ) : diff.tooLarge !== null ? (
        <EmptyState title="Too many changes to list" className="mt-1">
          {`There are ${diff.tooLarge.toLocaleString('en-US')} changes. Switch to YAML to see both templates.`}
        </EmptyState>
      ) : (
        <NoChanges diff={diff} />
      )}
    </>
  );
}

/** "checkout: image 2.18.3 → 2.19.0; 5 more." */
function describeDiff(name: string, diff: Diff): string {
  if (diff.equal) return `${name}: no difference between ${sideName(diff.from)} and ${sideName(diff.to)}.`;
  if (diff.restartOnly)
    return `${name}: only a restart between ${sideName(diff.from)} and ${sideName(diff.to)}.`;
  return `${name}: ${diff.summary.replace(/\.$/, '')}.`;
}

/** "revision 3", "now", or a pod. */
function sideName({ label, number }: Diff['from']): string {
  return label === String(number) ? `revision ${label}` : label;
}

function NoChanges({ diff }: { diff: Diff }) {
  return (
    <EmptyState title="No effective difference" glyph="complete" className="mt-1">
      {diff.rawEqual
        ? 'Both templates are identical.'
        : 'Only the formatting of the templates differs. Switch to YAML to see it.'}
    </EmptyState>
  );
}

function withReplaced({ from, to }: SidePair, ref: string, id: string): SidePair {
  return { from: from === ref ? id : from, to: to === ref ? id : to };
}

function NoRevisions({ name }: { name: string }) {
  return (
    <EmptyState title={`${name} has no revision yet`} glyph="timeline" className="mt-4">
      The comparison is available after the controller has recorded one.
    </EmptyState>
  );
}

function LoadingComparison() {
  return (
    <>
      <div className="flex gap-2 pt-3" aria-hidden="true">
        <Skeleton width={250} height={34} />
        <Skeleton width={250} height={34} />
      </div>
      <LoadingResult />
    </>
  );
}

function LoadingResult() {
  return (
    <div className="pt-5">
      <Skeleton width="min(620px, 80%)" height={18} />
      <div className="mt-6 border-t border-line">
        <SkeletonRows rows={7} rowHeight={48} label="Loading the comparison" />
      </div>
    </div>
  );
}

interface Candidate {
  id: string;
  number: number;
  name: string;
}

/** Why there is no comparison. Lists the candidates where a number is ambiguous or was renumbered. */
function CompareError({
  error,
  onRetry,
  onReplace,
}: {
  error: unknown;
  onRetry: () => void;
  /** Replaces a reference with the revision of this id. */
  onReplace: (ref: string, id: string) => void;
}) {
  if (error instanceof AppError && error.code === 'ambiguous') {
    const { candidates } = error.details;
    if (Array.isArray(candidates) && candidates.length > 0) {
      return (
        <EmptyState
          title="Several revisions have this number"
          glyph="unknown"
          heading="h1"
          actions={(candidates as Candidate[]).map(({ id, name, number }) => (
            <Button key={id} size="small" onClick={() => onReplace(String(number), id)}>
              <span className="max-w-[24em] truncate">{`rev ${number} (${name})`}</span>
            </Button>
          ))}
        >
          {error.message}
        </EmptyState>
      );
    }
  }
  if (error instanceof AppError && error.code === 'not_found') {
    const { revision, became, number } = error.details;
    // The revision that a former number now refers to.
    if (typeof revision === 'string' && typeof became === 'string') {
      return (
        <EmptyState
          title="This revision was renumbered"
          glyph="unknown"
          heading="h1"
          actions={
            <Button size="small" onClick={() => onReplace(revision, became)}>
              {typeof number === 'number' ? `Compare revision ${number}` : 'Compare this revision'}
            </Button>
          }
        >
          {error.message}
        </EmptyState>
      );
    }
  }
  return <ErrorState error={error} title="Comparison not available" heading="h1" onRetry={onRetry} />;
}
