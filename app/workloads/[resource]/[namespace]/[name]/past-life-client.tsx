'use client';

import { useMemo, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { useRouter } from 'next/navigation';
import { isComplete, pairOf, pairWithBefore, stepPair } from '@/components/revisions/choose-pair';
import { historyOfLife } from '@/components/revisions/history';
import { RevisionsSection } from '@/components/revisions/revisions-section';
import { TimelineSection } from '@/components/timeline/timeline-section';
import { ErrorState } from '@/components/ui/error-state';
import { PageKeys } from '@/components/ui/page-keys';
import { LoadingWorkload } from '@/components/workload/loading-workload';
import { PastLifeHead } from '@/components/workload/past-life-head';
import { WorkloadCrumbs } from '@/components/workload/workload-crumbs';
import { type PastLife } from '@/lib/api/workloads';
import { podTrackQuery } from '@/lib/queries/track';
import { workloadDetailQuery } from '@/lib/queries/workload-detail';
import { isPastLife, workloadLifeQuery } from '@/lib/queries/workload-life';
import { workloadPagePath, type WorkloadRef } from '@/lib/queries/workload-ref';
import { PastLifeDialog } from './past-life-dialog';
import { useAddress } from './use-address';
import { useWorkloadKeys } from './use-workload-keys';

const none: readonly never[] = [];

const keyHints = [
  { keys: ['j', 'k'], label: 'move' },
  { keys: ['[', ']'], label: 'revision before, after' },
  { keys: ['a', 'b'], label: 'choose for compare' },
  { keys: ['c'], label: 'compare' },
  { keys: ['r'], label: 'roll back to it' },
  { keys: ['y'], label: 'copy link' },
];

/** What is left of them where no workload has the name. */
const readingLabels = new Set(['move', 'copy link']);

/** A life of a workload that is over, from the archive. */
export function PastLifeClient({ workload, uid }: { workload: WorkloadRef; uid: string }) {
  const { data, error, refetch } = useQuery(workloadLifeQuery(workload, uid));
  if (data !== undefined && isPastLife(data)) return <PastLifePage workload={workload} past={data} />;
  if (error !== null) {
    return (
      <>
        <WorkloadCrumbs workload={workload} />
        <ErrorState error={error} onRetry={() => void refetch()} className="mt-4" />
      </>
    );
  }
  return <LoadingWorkload workload={workload} />;
}

function PastLifePage({ workload, past }: { workload: WorkloadRef; past: PastLife }) {
  const router = useRouter();
  const { address, note, step } = useAddress();
  const [pointed, setPointed] = useState<string | null>(null);
  const present = useQuery({ ...workloadDetailQuery(workload), retry: false, retryOnMount: false });
  const isNamesake = present.data !== undefined && present.error === null;
  const { revisions, life } = past;
  // Nothing is the target any longer: the drawing shows the last one like those before it.
  const over = useMemo(() => revisions.map((each) => ({ ...each, target: false })), [revisions]);
  const hasRecords = revisions.some(({ activations }) => activations.some(({ record }) => record !== null));
  const track = useQuery({ ...podTrackQuery(workload, life.uid, false), enabled: hasRecords });
  const pair = pairOf(revisions, address);
  const compareHref =
    isNamesake && isComplete(pair)
      ? workloadPagePath(workload, `/compare?${new URLSearchParams({ from: pair.from, to: pair.to })}`)
      : null;
  const blocked = isNamesake
    ? null
    : `There is no ${workload.name} in ${workload.namespace} now that could be rolled back.`;
  const rollback = (id: string) => blocked === null && step({ rollback: id });

  useWorkloadKeys({
    revisions,
    at: address.at,
    onMove: (at) => note({ at }),
    onChoose: (change) => note(change),
    onStep: (by) => {
      const next = stepPair(revisions, pair, by);
      if (next) note({ ...next, at: next.to });
    },
    onCompare: () => compareHref && router.push(compareHref),
    onRollback: (id) => id !== undefined && rollback(id),
    canChooseTarget: true,
  });

  return (
    <>
      <PastLifeHead past={past} isNamesake={isNamesake} recordsHref={recordsHref(workload)} />
      <TimelineSection
        subject={{
          name: workload.name,
          createdAt: life.from,
          state: undefined,
          desired: 1,
          end: life.to === null ? 'now' : 'deleted',
        }}
        revisions={over}
        pods={none}
        events={none}
        track={track.data}
        endMs={life.to === null ? null : Date.parse(life.to)}
        stretch={address.range}
        onStretch={(range) => step({ range })}
        pointed={pointed ?? address.at}
        onPoint={setPointed}
        onSelect={(at) => note({ at })}
      />
      <RevisionsSection
        history={historyOfLife(past)}
        pair={pair}
        comparable={isNamesake}
        onPair={note}
        current={address.at}
        pointed={pointed}
        onPoint={setPointed}
        onSelect={(at) => note({ at, ...(pairWithBefore(revisions, at) ?? {}) })}
        onRollback={rollback}
        blocked={blocked}
      />
      <PastLifeDialog
        workload={workload}
        target={revisions.find(({ id }) => id === address.rollback)}
        life={life}
        open={address.rollback !== null && isNamesake}
        onClose={() => note({ rollback: null })}
      />
      <PageKeys
        items={isNamesake ? keyHints : keyHints.filter(({ label }) => readingLabels.has(label))}
        note={`${workload.namespace}/${workload.name}`}
      />
    </>
  );
}

function recordsHref({ resource, namespace, name }: WorkloadRef): string {
  return `/records?${new URLSearchParams({ resource, namespace, name })}`;
}
