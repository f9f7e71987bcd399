'use client';

import { clsx } from 'clsx';
import { useQuery } from '@tanstack/react-query';
import { findRevision, parseSide, revisionVersion, type Side, sideOf } from '@/components/diff/sides';
import { clusterParam } from '@/components/queries/cluster';
import { podsQuery } from '@/components/queries/pods';
import { useOtherClusters } from '@/components/queries/same-workload';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import type { WorkloadRef } from '@/components/queries/workload-ref';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { Tag } from '@/components/ui/tag';
import type { PodItem } from '@/lib/api/pods';
import type { RevisionItem } from '@/lib/api/revisions';
import type { WorkloadItem } from '@/lib/api/workloads';
import { formatRev } from '@/lib/history/revision';
import { formatCount } from '@/lib/format/text';
import { versionOf } from '@/lib/view/image-name';

/** The workload's page lists the pods that a menu has no room for. */
const PODS_MAX = 40;

/** One side of the comparison and the menu to choose another: the current spec, a revision, or what a pod runs. */
export function SidePicker({
  label,
  value,
  workload,
  namesCluster,
  onChange,
}: {
  label: 'From' | 'To';
  value: string;
  workload: WorkloadRef;
  /** Whether the other side is of another cluster. */
  namesCluster: boolean;
  onChange: (value: string) => void;
}) {
  const side = parseSide(value);
  const source = side.cluster === null ? workload : { ...workload, cluster: side.cluster };
  const revisions = useQuery(workloadDetailQuery(source)).data?.revisions ?? noItems;
  const pods = useQuery(podsQuery(source)).data?.items ?? noItems;
  const others = useOtherClusters(workload);
  const chosen = side.kind === 'revision' ? findRevision(revisions, side.ref) : undefined;
  const name =
    side.kind === 'live' ? 'Now' : side.kind === 'pod' ? side.pod : chosen ? formatRev(chosen) : side.ref;
  return (
    <MenuButton
      items={[
        ...menuEntries(side, chosen, revisions, pods, (ref) => onChange(sideOf(side.cluster, ref))),
        ...clusterEntries(side, workload, others, onChange),
      ]}
      className="h-[34px]! min-w-0 font-normal! max-desk:h-11! max-desk:w-full max-desk:justify-start! max-desk:[&>svg:last-child]:ml-auto"
    >
      <span className="text-small text-ink-3">{label}</span>
      {namesCluster && source.cluster !== undefined && (
        <ClusterTag cluster={source.cluster} className="flex-none" />
      )}
      <SideName side={side} chosen={chosen} name={name} />
      {chosen && <RevisionTags revision={chosen} />}
    </MenuButton>
  );
}

function SideName({ side, chosen, name }: { side: Side; chosen: RevisionItem | undefined; name: string }) {
  if (side.kind === 'live') return <span className="font-medium">Now</span>;
  const version = chosen ? revisionVersion(chosen) : '';
  return (
    <>
      {side.kind === 'pod' && <span className="text-small text-ink-3">pod</span>}
      <span
        className={clsx(
          'flex font-mono text-code font-medium tracking-[-0.02em]',
          side.kind === 'revision' ? 'flex-none' : 'min-w-0',
        )}
      >
        <MiddleEllipsis text={name} />
      </span>
      {version !== '' && (
        <span className="flex min-w-0 font-mono text-code text-ink-2 max-wide:max-w-[12em]">
          <MiddleEllipsis text={version} />
        </span>
      )}
    </>
  );
}

/** The status of a revision: target or live, its number of pods, and whether they are ready. */
function RevisionTags({ revision }: { revision: RevisionItem }) {
  const { total, ready } = revision.pods;
  const state = revision.target ? 'Target' : 'Live';
  return (
    <>
      {(revision.target || revision.live) && (
        <Tag tone={revision.target ? 'target' : 'live'}>
          <span>
            {state}
            {total > 0 && <span className="max-desk:hidden">, {formatCount(total, 'pod')}</span>}
          </span>
        </Tag>
      )}
      {total > 0 && ready === 0 && <Tag tone="bad">0 ready</Tag>}
    </>
  );
}

const noItems: readonly never[] = [];

function menuEntries(
  side: Side,
  chosen: RevisionItem | undefined,
  revisions: readonly RevisionItem[],
  pods: readonly PodItem[],
  onChange: (value: string) => void,
): MenuEntry[] {
  const shownPods = pods.slice(0, PODS_MAX);
  return [
    {
      label: 'Now',
      hint: 'Current spec',
      checked: side.kind === 'live',
      onSelect: () => onChange('live'),
    },
    { heading: 'Revisions' },
    ...revisions.map((revision): MenuEntry => ({
      label: formatRev(revision, revisionVersion(revision)),
      hint: <RevisionHint revision={revision} />,
      checked: revision.id === chosen?.id,
      onSelect: () => onChange(revision.id),
    })),
    ...(shownPods.length > 0 ? [{ heading: 'Running pods' }] : []),
    ...shownPods.map((pod): MenuEntry => ({
      label: pod.name,
      hint: pod.revision ?? undefined,
      checked: side.kind === 'pod' && side.pod === pod.name,
      onSelect: () => onChange(`pod:${pod.name}`),
    })),
  ];
}

/** The workload in other clusters: the current spec first, whose menu then has the revisions of that cluster. */
function clusterEntries(
  side: Side,
  { cluster }: WorkloadRef,
  others: readonly WorkloadItem[],
  onChange: (value: string) => void,
): MenuEntry[] {
  const own = clusterParam(cluster);
  if (others.length === 0 || own === undefined) return [];
  return [
    { heading: 'Clusters' },
    { label: own, hint: 'this page', checked: side.cluster === null, onSelect: () => onChange('live') },
    ...others.map(({ cluster: id, images }): MenuEntry => {
      const name = clusterParam(id) ?? id;
      return {
        label: name,
        hint: versionOf(images),
        checked: side.cluster === name,
        onSelect: () => onChange(sideOf(name, 'live')),
      };
    }),
  ];
}

function RevisionHint({ revision }: { revision: RevisionItem }) {
  if (!revision.live && !revision.target) return 'Not live';
  return (
    <span className="inline-flex gap-1.5">
      <RevisionTags revision={revision} />
    </span>
  );
}
