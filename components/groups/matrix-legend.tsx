import { countLooks, type GroupLook, groupFaces } from '@/components/groups/group-looks';
import { LookSwatch } from '@/components/groups/group-legend';
import { type GroupsItem } from '@/lib/api/workloads';

/** What the cells mean, as far as they occur, and what becomes of the revisions. */
export function MatrixLegend({ groups }: { groups: GroupsItem }) {
  const looks = countLooks(groups.items).map(({ look }) => look);
  return (
    <div className="grid gap-1.5 text-small wide:w-[260px] wide:flex-none">
      <ul aria-label="What the cells mean" className="grid gap-1.5">
        {looks.map((look) => (
          <li key={look} className="flex items-center gap-2 text-ink-2">
            <LookSwatch look={look} size={13} />
            {meaningOf(look)}
          </li>
        ))}
      </ul>
      <p className="pt-1.5 text-ink-3">{groups.afterwards}</p>
    </div>
  );
}

function meaningOf(look: GroupLook): string {
  return look === 'held' ? 'held on its revision by the partition' : groupFaces[look].word;
}
