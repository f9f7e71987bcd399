'use client';

import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { LazyActionDialog } from '@/components/action-dialog/lazy-action-dialog';
import { selectedPair, targetPair, toggleSelected } from '@/components/revisions/revision-pair';
import { revisionIdOfRow } from '@/components/revisions/revision-rows';
import { historyOfIncarnation } from '@/components/revisions/revision-history';
import { RevisionsSection, useHistoryRows } from '@/components/revisions/revisions-section';
import { Waiting } from '@/components/shared/waiting';
import { TimelineSection } from '@/components/timeline/timeline-section';
import { FooterNote } from '@/components/ui/footer-note';
import { LoadingWorkload } from '@/components/workload/loading-workload';
import { DeletedWorkloadHead } from '@/components/workload/deleted-workload-head';
import { WorkloadCrumbs } from '@/components/workload/workload-crumbs';
import type { EarlierIncarnation } from '@/lib/api/earlier-incarnation';
import { podTrackQuery } from '@/components/queries/pod-track';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { isEarlierIncarnation, workloadIncarnationQuery } from '@/components/queries/workload-incarnation';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';
import { useAddress } from './use-address';
import { useWorkloadKeys } from './use-workload-keys';

const noItems: readonly never[] = [];

/** An incarnation of a workload that is over, from the archive. */
export function DeletedWorkloadClient({ workload, uid }: { workload: WorkloadRef; uid: string }) {
  const { data, error, refetch } = useQuery(workloadIncarnationQuery(workload, uid));
  const past = data !== undefined && isEarlierIncarnation(data) ? data : undefined;
  return (
    <>
      {past === undefined && error !== null && <WorkloadCrumbs workload={workload} />}
      <Waiting
        answer={{ data: past, error }}
        loading={<LoadingWorkload workload={workload} />}
        onRetry={() => void refetch()}
        heading="h1"
        className="mt-4"
      >
        {(loaded) => <DeletedWorkloadPage workload={workload} past={loaded} />}
      </Waiting>
    </>
  );
}

function DeletedWorkloadPage({ workload, past }: { workload: WorkloadRef; past: EarlierIncarnation }) {
  const router = useRouter();
  const { address, note, step } = useAddress();
  const [pointed, setPointed] = useState<string | null>(null);
  const currentWorkload = useQuery({ ...workloadDetailQuery(workload), retry: false, retryOnMount: false });
  const isNamesake = currentWorkload.data !== undefined && currentWorkload.error === null;
  const { revisions, incarnation } = past;
  const target = revisions.find(({ id }) => id === address.rollback);
  // No revision is the target any longer: the drawing shows the last one like those before it.
  const revisionsWithoutTarget = useMemo(
    () => revisions.map((each) => ({ ...each, target: false })),
    [revisions],
  );
  const hasRecords = revisions.some(({ activations }) => activations.some(({ record }) => record !== null));
  const track = useQuery({ ...podTrackQuery(workload, incarnation.uid, false), enabled: hasRecords });
  const history = useMemo(() => historyOfIncarnation(past), [past]);
  const rows = useHistoryRows(history, address.list);
  const pair = selectedPair(rows, address, address.at) ?? targetPair(revisions);
  const compareHref =
    isNamesake && pair !== null
      ? workloadPagePath(workload, `/compare?${new URLSearchParams({ ...pair })}`)
      : null;
  const blocked = isNamesake
    ? null
    : `${workload.namespace}/${workload.name} no longer exists. Nothing can be rolled back.`;
  const rollback = (id: string) => blocked === null && step({ rollback: id });

  useWorkloadKeys({
    rows,
    at: address.at,
    onMove: (at) => note({ at }),
    compare: isNamesake
      ? {
          toggle: (key) => note(toggleSelected(address, key)),
          open: compareHref === null ? undefined : () => router.push(compareHref),
        }
      : undefined,
    rollback: isNamesake
      ? { open: (id) => id !== undefined && rollback(id), canChooseTarget: true }
      : undefined,
  });

  return (
    <>
      <DeletedWorkloadHead past={past} isNamesake={isNamesake} recordsHref={recordsHref(workload)} />
      <TimelineSection
        subject={{
          name: workload.name,
          createdAt: incarnation.from,
          state: undefined,
          desired: 1,
          end: incarnation.to === null ? 'now' : 'deleted',
        }}
        revisions={revisionsWithoutTarget}
        pods={noItems}
        events={noItems}
        track={track.data}
        endMs={incarnation.to === null ? null : Date.parse(incarnation.to)}
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
        comparable={isNamesake}
        current={address.at}
        pointed={pointed}
        onPoint={setPointed}
        onSelect={(key) => note({ at: key, ...toggleSelected(address, key) })}
        onRollback={rollback}
        blocked={blocked}
      />
      <LazyActionDialog
        action={
          target === undefined || !isNamesake
            ? null
            : {
                kind: 'rollback',
                object: workload,
                to: target.id,
                foreign: { revision: target, incarnation },
              }
        }
        onClose={() => note({ rollback: null })}
      />
      <FooterNote>{`${workload.namespace}/${workload.name}`}</FooterNote>
    </>
  );
}

function recordsHref({ resource, namespace, name }: WorkloadRef): string {
  return `/records?${new URLSearchParams({ resource, namespace, name })}`;
}
