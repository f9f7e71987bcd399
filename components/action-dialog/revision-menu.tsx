'use client';

import { listRollbackTargets, revisionTitle } from '@/components/action-dialog/rollback-targets';
import { AbsoluteTime } from '@/components/ui/time';
import { MenuButton } from '@/components/ui/menu-button';
import { type MenuEntry } from '@/components/ui/menu-entry';
import { Tag } from '@/components/ui/tag';
import { type WorkloadDetail } from '@/lib/api/workloads';
import { type RevisionItem } from '@/lib/api/revisions';

/** A history may have hundreds of revisions; the list of the page has them all. */
const ARCHIVED_MAX = 40;

/** The revisions that can be rolled back to; those with pods say so, archived ones are a group of their own. */
export function RevisionMenu({
  detail,
  chosen,
  onChoose,
}: {
  detail: WorkloadDetail;
  chosen: string | null;
  onChoose: (revisionId: string) => void;
}) {
  const { retained, archived } = listRollbackTargets(detail);
  const [only, ...more] = [...retained, ...archived];
  if (only === undefined || (more.length === 0 && only.id === chosen)) return null;
  const entryOf = (revision: RevisionItem): MenuEntry => ({
    label: revisionTitle(revision),
    hint: <Hint revision={revision} isDefault={revision.id === detail.workload.defaultTarget?.id} />,
    checked: revision.id === chosen,
    onSelect: () => onChoose(revision.id),
  });
  const items: MenuEntry[] = [
    ...retained.map(entryOf),
    ...(archived.length === 0 ? [] : [{ heading: 'Archived: the cluster has them no longer' }]),
    ...archived.slice(0, ARCHIVED_MAX).map(entryOf),
    ...(archived.length > ARCHIVED_MAX
      ? [{ heading: `${archived.length - ARCHIVED_MAX} older ones are in the list of revisions` }]
      : []),
  ];
  return (
    <MenuButton size="small" align="end" items={items}>
      {chosen === null ? 'Choose a revision' : 'Choose another'}
    </MenuButton>
  );
}

function Hint({ revision, isDefault }: { revision: RevisionItem; isDefault: boolean }) {
  const { total, ready } = revision.pods;
  const last = revision.activations.at(-1)?.to ?? null;
  return (
    <span className="inline-flex gap-1.5">
      {total > 0 && (
        <Tag tone="live">{ready === total ? `${total} ready` : `${ready} of ${total} ready`}</Tag>
      )}
      {isDefault && <Tag tone="good">offered first</Tag>}
      {!revision.retained && last !== null && (
        <span>
          until <AbsoluteTime iso={last} form="short" />
        </span>
      )}
      {revision.prunedNext && <Tag tone="line">pruned next</Tag>}
    </span>
  );
}
