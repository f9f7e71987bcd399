'use client';

import { EmptyState } from '@/components/ui/empty-state';
import { lazily } from '@/components/ui/lazily';
import { TextLink } from '@/components/ui/link';
import { Notice } from '@/components/ui/notice';
import { PartialNotice } from '@/components/shared/partial-notice';
import { AbsoluteTime } from '@/components/ui/time';
import { useClusters } from '@/components/queries/cluster';

const FirstRevisionPicture = lazily(
  async () => (await import('@/components/ui/first-revision-picture')).FirstRevisionPicture,
  <div className="h-[52px]" />,
);

/** Reports that recording is interrupted, since when and why; nothing while it works. */
export function RecordingInterruptedNotice() {
  const { list, isSeveral } = useClusters();
  const interrupted = (list?.items ?? []).filter(({ recorder }) => recorder.state === 'interrupted');
  return interrupted.map(({ name, recorder: { since, reason } }) => (
    <Notice
      key={name}
      tone="stale"
      className="mt-3"
      title={
        <>
          Rollouts{isSeveral && ` in ${name}`} have not been recorded since <AbsoluteTime iso={since} />.
        </>
      }
    >
      {reason} When recording resumes, Shiplog adds what the cluster still shows.
    </Notice>
  ));
}

/** Lists the kinds that cannot be recorded, and why; nothing where all can. */
export function UnrecordedKindsNotice() {
  const { list, isSeveral } = useClusters();
  return (list?.items ?? []).flatMap(({ name, resources, partial }) =>
    resources.flatMap(({ id, plural }) => {
      const part = partial.find(({ resource, asOf }) => resource === id && asOf === undefined);
      if (part === undefined) return [];
      const where = isSeveral ? ` in ${name}` : '';
      return (
        <PartialNotice
          key={`${name} ${id}`}
          part={part}
          missing={`Rollouts of ${plural}${where} are not being recorded.`}
          className="mt-3"
        />
      );
    }),
  );
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
