'use client';

import { EmptyState } from '@/components/ui/empty-state';
import { FirstRevisionPicture } from '@/components/ui/first-revision-picture';
import { TextLink } from '@/components/ui/link';
import { Notice } from '@/components/ui/notice';
import { PartialNotice } from '@/components/shared/partial-notice';
import { AbsoluteTime } from '@/components/ui/time';
import { useClusters } from '@/components/queries/clusters';
import { type ClusterItem } from '@/lib/api/cluster';
import { formatList } from '@/lib/format/text';

/**
 * Reports that recording is interrupted, since when and why; nothing while it works. `cluster`: id of the only one that
 * the page is about.
 */
export function RecordingInterruptedNotice({ cluster }: { cluster?: string }) {
  const { items, isSeveral } = useClusters();
  const shown = cluster === undefined ? items : items.filter(({ id }) => id === cluster);
  const interrupted = shown.filter(({ recorder }) => recorder?.state === 'interrupted');
  const [first] = interrupted.toSorted((a, b) => a.recorder.since.localeCompare(b.recorder.since));
  if (first === undefined) return null;
  const isAll = cluster !== undefined || interrupted.length === items.length;
  return (
    <Notice
      tone="stale"
      className="mt-3"
      title={
        <>
          Rollouts {isAll ? '' : `in ${namesOf(interrupted)} `}have not been recorded since{' '}
          <AbsoluteTime iso={first.recorder.since} />.
        </>
      }
    >
      {first.recorder.reason} When recording resumes, Shiplog adds what the cluster still shows.
      {isSeveral && <ClustersLink />}
    </Notice>
  );
}

function namesOf(clusters: readonly ClusterItem[]): string {
  return formatList(clusters.map(({ name }) => name));
}

/** Where each cluster has its state and what would mend it. */
function ClustersLink() {
  return (
    <>
      {' '}
      <TextLink href="/clusters">Clusters</TextLink>
    </>
  );
}

/** Lists the kinds that cannot be recorded, and why; nothing where all can. */
export function UnrecordedKindsNotice() {
  const { items, isSeveral } = useClusters();
  const [only] = items;
  if (isSeveral) return <UnrecordedClustersNotice clusters={items} />;
  return (only?.resources ?? []).map(({ id, plural }) => {
    const part = only?.partial.find(({ resource, asOf }) => resource === id && asOf === undefined);
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

function UnrecordedClustersNotice({ clusters }: { clusters: readonly ClusterItem[] }) {
  const incomplete = clusters.filter(({ partial }) => partial.some(({ asOf }) => asOf === undefined));
  if (incomplete.length === 0) return null;
  return (
    <Notice tone="partial" className="mt-3" title={`Not all kinds are recorded in ${namesOf(incomplete)}.`}>
      Permissions are missing.
      <ClustersLink />
    </Notice>
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
