'use client';

import { useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { rolloutPagePath } from '@/components/queries/rollouts';
import { workloadDetailQuery } from '@/components/queries/workload-detail';
import { placeIn } from '@/components/queries/cluster';
import { workloadPagePath } from '@/components/queries/workload-ref';
import { refuseWhileStale } from '@/components/shared/show-refusal';
import { ButtonLink } from '@/components/ui/button';
import type { WorkloadDetail, WorkloadItem } from '@/lib/api/workloads';
import { formatRev } from '@/lib/history/revision';
import { versionOf } from '@/lib/view/image-name';

/** The page with the dialog of the action that is due; null where none is. */
export function dueActionPath(item: WorkloadItem): string | null {
  const { dueAction } = item;
  if (dueAction === undefined) return null;
  const { action, rollout } = dueAction;
  if (rollout !== null)
    return rolloutPagePath(
      { cluster: item.cluster, ...rollout },
      action === 'open' ? '' : `?action=${action}`,
    );
  return workloadPagePath(item, action === 'rollback' ? '?rollback=default' : `?action=${action}`);
}

/** The action that is due on a workload. Once it is pointed at or focused it names its target. */
export function DueActionButton({ item }: { item: WorkloadItem }) {
  const [isNear, setNear] = useState(false);
  const { dueAction } = item;
  const href = dueActionPath(item);
  const needsTarget = dueAction?.action === 'rollback' && dueAction.rollout === null;
  const { data } = useQuery({ ...workloadDetailQuery(item), enabled: isNear && needsTarget });
  if (dueAction === undefined || href === null) return null;
  const target = needsTarget && data ? targetText(data.workload.defaultTarget, data.revisions) : '';
  const verb = dueAction.action === 'rollback' ? 'Roll back' : dueAction.label.split(' ')[0];
  const text = `${isNear ? `${dueAction.label}${target}` : verb}${dueAction.action === 'open' ? '' : '…'}`;
  return (
    <span className="relative flex h-[24px] justify-end max-desk:z-1 max-desk:h-5">
      <ButtonLink
        href={href}
        prefetch={false}
        aria-label={`${text} ${item.name}${placeIn(item.cluster)}`}
        size="small"
        onClick={(event) => {
          if (refuseWhileStale(dueAction.label, item.cluster)) event.preventDefault();
        }}
        onPointerEnter={() => setNear(true)}
        onPointerLeave={() => setNear(false)}
        onFocus={() => setNear(true)}
        onBlur={() => setNear(false)}
        className="h-[24px]! max-desk:h-[26px]! hover:absolute hover:right-0 hover:z-2 focus-visible:absolute focus-visible:right-0 focus-visible:z-2"
      >
        {text}
      </ButtonLink>
    </span>
  );
}

/** " to rev 5 (2.18.3)" */
function targetText(
  target: WorkloadDetail['workload']['defaultTarget'],
  revisions: readonly { id: string; images: WorkloadItem['images'] }[],
): string {
  if (target === null || target.number === null || target.unproven === true) return '';
  const version = versionOf(revisions.find(({ id }) => id === target.id)?.images ?? []);
  return ` to ${formatRev({ number: target.number, name: '' }, version)}`;
}
