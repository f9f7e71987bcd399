'use client';

import { useState } from 'react';
import { useRouter } from 'next/navigation';
import { useQuery } from '@tanstack/react-query';
import { useFollowedActionId } from '@/components/action-dialog/followed-action';
import { FollowedStrip } from '@/components/action-dialog/followed-strip';
import {
  pairSideLabel,
  selectedPair,
  targetPair,
  toggleSelected,
} from '@/components/revisions/revision-pair';
import { revisionIdOfRow } from '@/components/revisions/revision-rows';
import { historyOfWorkload } from '@/components/revisions/revision-history';
import { RevisionsSection, useHistoryRows } from '@/components/revisions/revisions-section';
import { Waiting } from '@/components/shared/waiting';
import { TimelineSection } from '@/components/timeline/timeline-section';
import { useStaleReason } from '@/components/shared/use-stale-reason';
import { RecordingInterruptedNotice } from '@/components/shared/archive-states';
import { lazily } from '@/components/ui/lazily';
import { FooterNote } from '@/components/ui/footer-note';
import { Skeleton } from '@/components/ui/skeleton';
import { StaleNotice } from '@/components/ui/stale-notice';
import { ConditionsSection } from '@/components/workload/conditions-section';
import { hasFailingPods } from '@/components/workload/pod-groups';
import { EventsSection } from '@/components/workload/events-section';
import { type WorkloadPresence, PresenceNotice } from '@/components/workload/presence-notice';
import { IncarnationsLine } from '@/components/workload/incarnations-line';
import { LoadingWorkload } from '@/components/workload/loading-workload';
import { PodsSection } from '@/components/workload/pods-section';
import { ProducerNotice } from '@/components/workload/producer-notice';
import { useWorkload, type WorkloadData } from '@/components/workload/use-workload';
import { RolledBackStrip } from '@/components/workload/rolled-back-strip';
import { hasStoredObjects } from '@/components/workload/stored-objects';
import { WorkloadCrumbs } from '@/components/workload/workload-crumbs';
import { WorkloadError } from '@/components/workload/workload-error';
import { WorkloadFacts } from '@/components/workload/workload-facts';
import { refusalOf, WorkloadHead } from '@/components/workload/workload-head';
import { troubledStates } from '@/lib/api/workload-values';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { lastIncarnationUid } from '@/lib/view/last-incarnation';
import { findLastRollback, type LastRollback } from '@/lib/history/rolled-back';
import { versionOf } from '@/lib/view/image-name';
import { useClusters } from '@/components/queries/cluster';
import { useClusterOfPage } from '@/components/shared/cluster-of-page';
import { actionQuery } from '@/components/queries/action';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';
import { useAddress } from './use-address';
import { otherTarget, useWorkloadKeys } from './use-workload-keys';
import { WorkloadDialogs } from './workload-dialogs';

const noItems: readonly never[] = [];

/** What most workloads do not have, or rarely: loaded where one has it. */
const RolloutPanel = lazily(
  async () => (await import('@/components/rollouts/rollout-panel')).RolloutPanel,
  <Skeleton width="100%" height={140} className="mt-[22px]" />,
);
const GroupsSection = lazily(
  async () => (await import('@/components/groups/groups-section')).GroupsSection,
  <Skeleton width="100%" height={220} className="mt-[22px]" />,
);
const ComponentsSection = lazily(
  async () => (await import('@/components/workload/components-section')).ComponentsSection,
);
const AlsoIn = lazily(async () => (await import('@/components/workload/also-in')).AlsoIn);
const StoredSection = lazily(
  async () => (await import('@/components/workload/stored-section')).StoredSection,
);
const FailingPods = lazily(async () => (await import('@/components/workload/failing-pods')).FailingPods);
const DeletedWorkloadClient = lazily(
  async () => (await import('./deleted-workload-client')).DeletedWorkloadClient,
);

/** One workload: its state, its history, and its actions. */
export function WorkloadClient({ workload }: { workload: WorkloadRef }) {
  const data = useWorkload(workload);
  useClusterOfPage(workload, data.detail?.workload.cluster);
  const { address } = useAddress();
  const lastUid = useLastIncarnation(data);
  const uid = address.uid ?? lastUid;
  if (uid !== null && uid !== data.detail?.workload.uid) {
    return <DeletedWorkloadClient key={uid} workload={workload} uid={uid} />;
  }
  return (
    <Waiting
      answer={{ data: data.detail, error: data.presence.kind === 'gone' ? null : data.error }}
      loading={<LoadingWorkload workload={workload} />}
      failed={(error) => (
        <>
          <WorkloadCrumbs workload={workload} />
          <WorkloadError workload={workload} error={error} onRetry={data.retry} />
        </>
      )}
      onRetry={data.retry}
      className="mt-3"
    >
      {(detail) => <LoadedWorkload data={data} detail={detail} />}
    </Waiting>
  );
}

/**
 * The uid of the last incarnation where the workload is deleted. During a refetch there is no answer for a moment;
 * the previous value is used.
 */
function useLastIncarnation({ detail, error }: WorkloadData): string | null {
  const [lastKnown, setLastKnown] = useState<string | null>(null);
  const now =
    detail === undefined ? (lastIncarnationUid(error) ?? (error === null ? lastKnown : null)) : null;
  if (now !== lastKnown) setLastKnown(now);
  return now;
}

function LoadedWorkload({ data, detail }: { data: WorkloadData; detail: WorkloadDetail }) {
  const router = useRouter();
  const { isSeveral } = useClusters();
  const stale = useStaleReason(detail.workload.cluster);
  const { address, note, step } = useAddress();
  const [pointed, setPointed] = useState<string | null>(null);
  const { workload, revisions } = detail;
  const { presence, pods, events } = data;
  const blocked = blockedReason(presence, stale);
  const refusal = blocked ?? refusalOf(workload, 'rollback');
  const history = historyOfWorkload(detail);
  const rows = useHistoryRows(history, address.list);
  const pair = selectedPair(rows, address, address.at) ?? targetPair(revisions);
  const compareHref =
    pair === null ? null : workloadPagePath(workload, `/compare?${new URLSearchParams({ ...pair })}`);
  const lastRollback = findLastRollback(detail);
  const isFollowedHere = useFollowsRollback(workload);
  // Then the pods come before the timeline.
  const isTroubled = troubledStates.includes(workload.state);
  const target = revisions.find(({ id }) => id === workload.defaultTarget?.id);
  const rollback = (revisionId?: string) => step({ rollback: revisionId ?? 'default' });

  const pauseOrResume = workload.paused ? 'resume' : 'pause';
  useWorkloadKeys({
    rows,
    at: address.at,
    onMove: (at) => note({ at }),
    compare: {
      toggle: (key) => note(toggleSelected(address, key)),
      open: compareHref === null ? undefined : () => router.push(compareHref),
    },
    rollback: refusal === null ? { open: rollback, canChooseTarget: false } : undefined,
    control:
      blocked === null && workload.controls.some(({ action, enabled }) => enabled && action === pauseOrResume)
        ? { action: pauseOrResume, open: () => step({ action: pauseOrResume }) }
        : undefined,
    stale,
  });

  return (
    <>
      <StaleNotice onRetry={data.retry} className="mt-3" />
      <PresenceNotice presence={presence} detail={detail} onAccept={data.acceptReplaced} />
      <WorkloadHead
        workload={workload}
        targetVersion={versionOf(target?.images ?? [])}
        rolledBack={lastRollback !== null}
        hasFailingPods={isTroubled && hasFailingPods(pods.data?.items ?? noItems)}
        compareHref={compareHref}
        compareLabel={
          pair === null
            ? ''
            : `Compare ${pairSideLabel(revisions, pair.from)} → ${pairSideLabel(revisions, pair.to)}`
        }
        blocked={blocked}
        rollbackKey={otherTarget(rows, address.at) ? undefined : 'r'}
        onRollback={rollback}
        onControl={(action) => step({ action })}
      />
      {isSeveral && <AlsoIn workload={workload} />}
      <IncarnationsLine workload={workload} incarnations={detail.incarnations} shown={workload.uid} />
      <RecordingInterruptedNotice />
      {/* The rollback of this tab has its own strip until its rollout is over. */}
      {lastRollback !== null && !(isFollowedHere && isOpen(lastRollback)) && (
        <RolledBackStrip
          rollback={lastRollback}
          blocked={refusal}
          onRollback={rollback}
          onRelease={
            !isOpen(lastRollback) && workload.controls.some(({ action }) => action === 'releaseFields')
              ? () => step({ action: 'releaseFields' })
              : undefined
          }
        />
      )}
      {!(isFollowedHere && lastRollback !== null && !isOpen(lastRollback)) && (
        <FollowedStrip workloadRef={workload} />
      )}
      <ProducerNotice workload={workload} />
      {isTroubled && (
        <FailingPods
          workload={workload}
          pods={pods.data?.items ?? noItems}
          events={events.data?.items ?? noItems}
        />
      )}
      <WorkloadFacts detail={detail} />
      {workload.rollout && (
        <RolloutPanel
          rollout={{ cluster: workload.cluster, ...workload.rollout }}
          onStep={(at) =>
            workload.rollout &&
            router.push(rolloutPagePath({ cluster: workload.cluster, ...workload.rollout }, `?step=${at}`))
          }
        />
      )}
      {workload.groups && (
        <GroupsSection
          workload={workload}
          groups={workload.groups}
          pods={pods.data?.items}
          partial={pods.data?.partial ?? noItems}
          blocked={blocked}
          onPartition={(partition) => step({ action: 'partition', partition })}
          onRestart={({ leader }) => leader && step({ action: 'deletePod', pod: leader.name })}
        />
      )}
      {workload.components && (
        <ComponentsSection cluster={workload.cluster} components={workload.components} />
      )}
      <TimelineSection
        subject={{
          name: workload.name,
          createdAt: workload.createdAt,
          state: workload.state,
          desired: workload.pods.desired,
          end: 'now',
        }}
        revisions={revisions}
        pods={pods.data?.items ?? noItems}
        events={events.data?.items ?? noItems}
        track={data.track}
        endMs={stale || presence.kind === 'gone' ? Date.parse(detail.observedAt) : null}
        stretch={address.range}
        onStretch={(range) => step({ range })}
        pointed={pointed ?? (address.at === null ? null : revisionIdOfRow(address.at))}
        onPoint={setPointed}
        onSelect={(at) => note({ at })}
      />
      <RevisionsSection
        history={history}
        rows={rows}
        order={address.list}
        onOrder={(list) => note({ list, at: null, from: null, to: null })}
        selection={address}
        comparable
        current={address.at}
        pointed={pointed}
        onPoint={setPointed}
        onSelect={(key) => note({ at: key, ...toggleSelected(address, key) })}
        onRollback={rollback}
        blocked={refusal}
      />
      {hasStoredObjects(detail) && <StoredSection detail={detail} />}
      <PodsSection
        workload={workload}
        pods={pods}
        pointed={pointed}
        onPoint={setPointed}
        onRetry={data.retry}
        onDelete={
          blocked === null &&
          workload.groups === undefined &&
          workload.controls.some(({ action }) => action === 'deletePod')
            ? (pod) => step({ action: 'deletePod', pod: pod.name })
            : null
        }
      />
      <EventsSection events={events} pointed={pointed} onPoint={setPointed} onRetry={data.retry} />
      <ConditionsSection workload={workload} />
      <WorkloadDialogs
        workload={workload}
        pods={pods.data?.items ?? noItems}
        address={address}
        onClose={() => note({ rollback: null, action: null, pod: null, partition: null })}
        onCompare={(from, to) =>
          router.push(workloadPagePath(workload, `/compare?${new URLSearchParams({ from, to })}`))
        }
      />
      <FooterNote>{`${workload.namespace}/${workload.name}`}</FooterNote>
    </>
  );
}

function isOpen({ record }: LastRollback): boolean {
  return record?.outcome === null;
}

/** Whether this tab follows the rollback of the workload. */
function useFollowsRollback(workload: WorkloadRef): boolean {
  const id = useFollowedActionId(workload);
  const { data } = useQuery({ ...actionQuery(id ?? ''), enabled: id !== null });
  return id !== null && data?.action === 'rollback';
}

/** Why nothing can be written now; null when it can. */
function blockedReason(presence: WorkloadPresence, stale: string | null): string | null {
  if (stale !== null) return stale;
  switch (presence.kind) {
    case 'gone':
      return 'The workload was deleted.';
    case 'ending':
      return 'The workload is being deleted.';
    case 'replaced':
      return 'The workload was replaced. Confirm above that you know.';
    case 'present':
      return null;
    default:
      return presence satisfies never;
  }
}
