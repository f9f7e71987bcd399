'use client';

import { choicesOf, revisionTitle } from '@/components/rollback/workload-view';
import { type MenuEntry, MenuButton } from '@/components/ui/menu-button';
import { Tag } from '@/components/ui/tag';
import { type RevisionItem, type WorkloadDetail } from '@/lib/api/workloads';

/** The revisions that may be gone back to; those that still have pods say so. */
export function ChooseAnother({
  detail,
  chosen,
  onChoose,
}: {
  detail: WorkloadDetail;
  chosen: string | null;
  onChoose: (revisionId: string) => void;
}) {
  const choices = choicesOf(detail);
  if (choices.length === 0 || (choices.length === 1 && choices[0]?.id === chosen)) return null;
  return (
    <MenuButton
      size="small"
      align="end"
      items={choices.map((revision): MenuEntry => ({
        label: revisionTitle(revision),
        hint: <Hint revision={revision} isDefault={revision.id === detail.workload.defaultTarget?.id} />,
        checked: revision.id === chosen,
        onSelect: () => onChoose(revision.id),
      }))}
    >
      {chosen === null ? 'Choose a revision' : 'Choose another'}
    </MenuButton>
  );
}

function Hint({ revision, isDefault }: { revision: RevisionItem; isDefault: boolean }) {
  const { total, ready } = revision.pods;
  return (
    <span className="inline-flex gap-1.5">
      {total > 0 && (
        <Tag tone="live">{ready === total ? `${total} ready` : `${ready} of ${total} ready`}</Tag>
      )}
      {isDefault && <Tag tone="good">offered first</Tag>}
      {revision.prunedNext && <Tag tone="line">pruned next</Tag>}
    </span>
  );
}
