'use client';

import { useQuery } from '@tanstack/react-query';
import { EmptyState } from '@/components/ui/empty-state';
import { FirstRevisionPicture } from '@/components/ui/first-revision-picture';
import { TextLink } from '@/components/ui/link';
import { Notice } from '@/components/ui/notice';
import { PartialNotice } from '@/components/shared/partial-notice';
import { AbsoluteTime } from '@/components/ui/time';
import { clusterQuery } from '@/components/queries/cluster';

/** Reports that recording is interrupted, since when and why; nothing while it works. */
export function RecordingInterruptedNotice() {
  const { data } = useQuery(clusterQuery());
  if (data?.recorder?.state !== 'interrupted') return null;
  const { since, reason } = data.recorder;
  return (
    <Notice
      tone="stale"
      className="mt-3"
      title={
        <>
          Rollouts have not been recorded since <AbsoluteTime iso={since} />.
        </>
      }
    >
      {reason} When recording resumes, Shiplog adds what the cluster still shows.
    </Notice>
  );
}

/** Lists the kinds that cannot be recorded, and why; nothing where all can. */
export function UnrecordedKindsNotice() {
  const { data } = useQuery(clusterQuery());
  return (data?.resources ?? []).map(({ id, plural }) => {
    const part = data?.partial.find(({ resource, asOf }) => resource === id && asOf === undefined);
    if (part === undefined) return null;
    return (
      <PartialNotice
        key={id}
        part={part}
        missing={`Rollouts of ${plural} are not being recorded.`}
        className="mt-3"
      />
    );
  });
}

/** The archive has no rollout yet that is visible to the viewer. */
export function EmptyArchiveState() {
  return (
    <>
      <UnrecordedKindsNotice />
      <EmptyState title="No rollouts recorded yet" picture={<FirstRevisionPicture />} className="mt-4">
        Shiplog records each rollout of the <TextLink href="/">workloads</TextLink> from its start, with its
        steps, pods and comments.
      </EmptyState>
    </>
  );
}
