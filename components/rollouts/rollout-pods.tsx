'use client';

import { useMemo, useState } from 'react';
import { useQueries, type UseQueryResult } from '@tanstack/react-query';
import {
  groupPodsByStep,
  type StepPodGroup,
  groupStablePods,
} from '@/components/rollouts/rollout-pod-groups';
import { revisionTag, revisionText, runsAlongsideStable } from '@/components/rollouts/rollout-labels';
import { Waiting } from '@/components/shared/waiting';
import { Button } from '@/components/ui/button';
import { Glyph, RingGlyph } from '@/components/ui/glyph';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { PodTicks } from '@/components/ui/pod-ticks';
import { SearchField } from '@/components/ui/search-field';
import { SectionHead } from '@/components/ui/section-head';
import { Segmented } from '@/components/ui/segmented';
import { RowHead, Table, Td, Th, Thead, Tr } from '@/components/ui/table';
import { Elapsed, RelativeTime } from '@/components/ui/time';
import { SkeletonRows } from '@/components/ui/skeleton';
import type { RolloutItem, RolloutPod } from '@/lib/api/rollouts';
import type { PodList } from '@/lib/api/pods';
import { podsQuery } from '@/components/queries/pods';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import { revisionName } from '@/lib/rollout/action-labels';
import { stepNoun } from '@/lib/rollout/style-text';
import { capitalize } from '@/lib/format/text';

const COLUMNS = ['28%', '14%', '13%', '10%', '13%', '8%', '8%', '6%'];
const SHOWN_AT_FIRST = 12;
const SHOWN_MORE = 200;
/** Up to this number no search is needed. */
const SEARCH_FROM = 25;

/** The pods of the rollout by the step that created them, or those that still run the stable revision. */
export function RolloutPods({
  rollout,
  step,
  side,
  onSide,
}: {
  rollout: RolloutItem;
  /** Only those of this step. */
  step: number | null;
  side: 'updated' | 'stable';
  onSide: (side: 'updated' | 'stable') => void;
}) {
  const { revisions, workload } = rollout;
  const ref =
    workload.resource === null || workload.state !== 'found'
      ? null
      : { resource: workload.resource, namespace: rollout.namespace, name: workload.name };
  const stable = useQueries({
    queries: stableWorkloadsOf(rollout).map((each) => ({ ...podsQuery(each), enabled: side === 'stable' })),
    combine: combineResults,
  });
  const [words, setWords] = useState('');
  const groups = useMemo(
    () => (side === 'updated' ? groupPodsByStep(rollout) : groupStablePods(rollout, stable.data ?? [])),
    [rollout, side, stable.data],
  );
  const shown = (
    step === null || side === 'stable' ? groups : groups.filter(({ index }) => index === step)
  ).map((group) => search(group, words));
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const counts = countsOf(rollout);
  return (
    <section aria-labelledby="pods" className="pt-5">
      <SectionHead
        id="pods"
        title={
          side === 'updated' ? `New pods (${revisionTag(revisions.updated)})` : podsTitle(revisions.stable)
        }
        remark={remarkOf(groups, step, side)}
        className="mb-1"
        end={
          <>
            {total >= SEARCH_FROM && (
              <div className="w-[220px] max-desk:w-auto max-desk:flex-1">
                <SearchField
                  label="Find a pod"
                  placeholder="Pod, node or IP"
                  value={words}
                  onChange={setWords}
                />
              </div>
            )}
            {ref !== null && (
              <Segmented
                label="Which pods"
                value={side}
                onChange={onSide}
                options={[
                  {
                    value: 'updated',
                    label: (
                      <>
                        New <span className="text-ink-3">{counts.updated}</span>
                      </>
                    ),
                  },
                  {
                    value: 'stable',
                    label: (
                      <>
                        Stable <span className="text-ink-3">{counts.stable}</span>
                      </>
                    ),
                  },
                ]}
              />
            )}
          </>
        }
      />
      <Waiting
        answer={side === 'stable' ? { ...stable, data: stable.data && shown } : { data: shown, error: null }}
        loading={<SkeletonRows rows={3} label="Loading pods" />}
        title="The pods could not be loaded"
        none={(loaded) =>
          loaded.every(({ count }) => count === 0) && (
            <p className="border-t border-line pt-2 text-ink-2">{emptyText(rollout, step, side, words)}</p>
          )
        }
        onRetry={stable.onRetry}
      >
        {(loaded) => (
          <Table label={side === 'updated' ? 'New pods by step' : 'Stable pods'} columns={COLUMNS}>
            <Thead>
              <Th>Pod</Th>
              <Th>Node</Th>
              <Th>Pod IP</Th>
              <Th>Revision</Th>
              <Th>Ready</Th>
              <Th numeric>Age</Th>
              <Th numeric>Time to ready</Th>
              <Th numeric>Restarts</Th>
            </Thead>
            {loaded.map((group) => (
              <Group
                key={`${group.title} ${words}`}
                group={group}
                revision={revisionText(side === 'updated' ? revisions.updated : revisions.stable)}
              />
            ))}
          </Table>
        )}
      </Waiting>
    </section>
  );
}

/** "Stable pods (rev 3)" */
function podsTitle(stable: RolloutItem['revisions']['stable']): string {
  const name = revisionName(stable);
  return name === null ? 'Stable pods' : `Stable pods (${name})`;
}

function Group({ group, revision }: { group: StepPodGroup; revision: string }) {
  const [limit, setLimit] = useState(SHOWN_AT_FIRST);
  if (group.count === 0) return null;
  const pods = group.pods.length <= limit + 2 ? group.pods : group.pods.slice(0, limit);
  const left = group.pods.length - pods.length;
  return (
    <tbody role="rowgroup" className="max-desk:block">
      <tr role="row" className="max-desk:block">
        <th
          role="rowheader"
          scope="rowgroup"
          colSpan={COLUMNS.length}
          className="h-[34px] border-b border-line pt-2 text-start text-micro text-ink max-desk:block max-desk:h-auto max-desk:pt-3.5 max-desk:pb-1 max-desk:text-small"
        >
          <span className="flex flex-wrap items-center gap-x-2">
            {group.title}
            <span className="font-normal text-ink-3">{group.remark}</span>
            {group.count > 1 && (
              <PodTicks
                groups={[
                  { revision: group.revision, target: group.target, pods: group.count, ready: group.ready },
                ]}
              />
            )}
          </span>
        </th>
      </tr>
      {pods.map((pod) => (
        <Row key={pod.uid} pod={pod} revision={revision} isNamed={group.revision === null} />
      ))}
      {left > 0 && (
        <tr role="row" className="max-desk:block">
          <td role="cell" colSpan={COLUMNS.length} className="h-8 max-desk:block">
            <Button size="small" tone="quiet" onClick={() => setLimit(limit + SHOWN_MORE)} className="-ml-2">
              Show{' '}
              {left > SHOWN_MORE
                ? `${SHOWN_MORE} more of ${group.pods.length.toLocaleString('en')}`
                : `all ${group.pods.length.toLocaleString('en')}`}
            </Button>
          </td>
        </tr>
      )}
      {group.count > group.pods.length && (
        <tr role="row" className="max-desk:block">
          <td role="cell" colSpan={COLUMNS.length} className="h-8 text-small text-ink-3 max-desk:block">
            {(group.count - group.pods.length).toLocaleString('en')} more pods are not listed.
          </td>
        </tr>
      )}
    </tbody>
  );
}

/**
 * `revision` is the label of pods without a number, or of a rollout with a named revision: numbers belong to its
 * workload.
 */
function Row({ pod, revision, isNamed }: { pod: RolloutPod; revision: string; isNamed: boolean }) {
  return (
    <Tr
      data-pod={pod.name}
      className="max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-2"
    >
      <RowHead>
        <MiddleEllipsis text={pod.name} className="literal" />
      </RowHead>
      <Td className="text-small text-ink-2 max-desk:[grid-area:2/1]">
        {pod.node ?? <span className="text-ink-3">Not scheduled</span>}
        {pod.ip !== null && <span className="pl-2 literal text-ink-3 desk:hidden">{pod.ip}</span>}
      </Td>
      <Td className="literal text-ink-2 max-desk:hidden">
        {pod.ip ?? <span className="text-ink-3">None</span>}
      </Td>
      <Td className="rev max-desk:hidden">{isNamed ? revision : (pod.revision ?? revision)}</Td>
      <Td className="text-small max-desk:[grid-area:1/2]">
        <Ready pod={pod} />
      </Td>
      <Td numeric className="text-small text-ink-2 max-desk:[grid-area:2/2]">
        <RelativeTime iso={pod.createdAt} />
      </Td>
      <Td numeric className="text-small text-ink-2 max-desk:hidden">
        {pod.readyAt === null ? (
          <span className="text-ink-3">–</span>
        ) : (
          <Elapsed from={pod.createdAt} to={pod.readyAt} />
        )}
      </Td>
      <Td numeric className="text-small max-desk:hidden">
        {pod.restarts > 0 ? (
          <span className="text-degraded">{pod.restarts}</span>
        ) : (
          <span className="text-ink-3">0</span>
        )}
      </Td>
    </Tr>
  );
}

function Ready({ pod }: { pod: RolloutPod }) {
  return pod.ready ? (
    <span className="inline-flex items-center gap-1.5 text-complete">
      <Glyph name="complete" size={12} />
      Ready
    </span>
  ) : (
    <span className="inline-flex items-center gap-1.5 text-degraded">
      <RingGlyph share={0.2} size={12} />
      {pod.blocked ?? (pod.phase === 'Running' ? 'Not ready' : pod.phase.slice(0, 30))}
    </span>
  );
}

function search(group: StepPodGroup, words: string): StepPodGroup {
  const query = words.trim().toLowerCase();
  if (query === '') return group;
  const pods = group.pods.filter(({ name, node, ip }) =>
    [name, node ?? '', ip ?? ''].some((text) => text.toLowerCase().includes(query)),
  );
  return { ...group, pods, count: pods.length, ready: pods.filter(({ ready }) => ready).length };
}

/** The owner of the pods outside the rollout: the workload, or other workloads where they come from those. */
function stableWorkloadsOf({ cluster, namespace, workload, sources }: RolloutItem): WorkloadRef[] {
  if (sources !== undefined) return sources.map((source) => ({ ...source, cluster, namespace }));
  const { resource, name, state } = workload;
  return resource === null || state !== 'found' ? [] : [{ cluster, resource, namespace, name }];
}

function combineResults(results: UseQueryResult<PodList>[]) {
  return {
    data: results.some(({ data }) => data === undefined)
      ? undefined
      : results.flatMap(({ data }) => data?.items ?? []),
    error: results.find(({ error }) => error !== null)?.error ?? null,
    onRetry: () => {
      for (const { refetch } of results) void refetch();
    },
  };
}

function countsOf(rollout: RolloutItem): {
  updated: string;
  stable: string;
} {
  const { desired, updated } = rollout.replicas;
  const isAlongside = runsAlongsideStable(rollout);
  return {
    updated: updated?.toLocaleString('en') ?? '',
    stable:
      desired === null
        ? ''
        : (isAlongside ? desired : Math.max(0, desired - (updated ?? 0))).toLocaleString('en'),
  };
}

function remarkOf(groups: readonly StepPodGroup[], step: number | null, side: 'updated' | 'stable'): string {
  const total = groups.reduce((sum, { count }) => sum + count, 0);
  const ready = groups.reduce((sum, { ready: some }) => sum + some, 0);
  const restarts = groups.some(({ pods }) => pods.some((pod) => pod.restarts > 0));
  const only = step !== null && side === 'updated' ? `, step ${step} only` : '';
  if (total === 0) return '';
  return `${ready.toLocaleString('en')} of ${total.toLocaleString('en')} ready${restarts ? '' : ', no restarts'}${only}`;
}

function emptyText(
  rollout: RolloutItem,
  step: number | null,
  side: 'updated' | 'stable',
  words: string,
): string {
  if (words.trim() !== '') return `No results for “${words.trim()}”.`;
  if (side === 'stable') return 'No stable pods.';
  const at = rollout.steps.find(({ index }) => index === step);
  if (at?.state === 'planned') return `${capitalize(stepNoun(rollout))} ${at.index} has not started.`;
  if (at !== undefined) return `No pods of ${stepNoun(rollout)} ${at.index} exist.`;
  return rollout.state === 'rolledBack'
    ? 'The pods were deleted by the rollback.'
    : 'No pods run the new revision.';
}
