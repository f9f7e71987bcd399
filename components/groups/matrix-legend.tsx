import { countByStatus, type GroupStatus, groupAppearance } from '@/components/groups/group-status';
import { StatusSwatch } from '@/components/groups/group-legend';
import { type GroupsItem } from '@/lib/api/groups';

/** The meaning of the cells that occur, and what happens to the revisions. */
export function MatrixLegend({ groups }: { groups: GroupsItem }) {
  const statuses = countByStatus(groups.items).map(({ status }) => status);
  return (
    <div className="grid gap-1.5 text-small wide:w-[260px] wide:flex-none">
      <ul aria-label="What the cells mean" className="grid gap-1.5">
        {statuses.map((status) => (
          <li key={status} className="flex items-center gap-2 text-ink-2">
            <StatusSwatch status={status} size={13} />
            {statusText(status)}
          </li>
        ))}
      </ul>
      <p className="pt-1.5 text-ink-3">{groups.afterwards}</p>
    </div>
  );
}

function statusText(status: GroupStatus): string {
  return status === 'held' ? 'held on its revision by the partition' : groupAppearance[status].word;
}
