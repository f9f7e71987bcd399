import { countLooks, type GroupLook, groupFaces } from '@/components/groups/group-looks';
import { Chip, ChipRow } from '@/components/ui/chip';
import { type GroupsItem } from '@/lib/api/workloads';

/** What the cells of the picture mean, and how many there are of each; pressed, the list shows those alone. */
export function GroupLegend({
  groups,
  look,
  onLook,
}: {
  groups: GroupsItem;
  look: GroupLook | null;
  onLook: (look: GroupLook | null) => void;
}) {
  return (
    <ChipRow label="Groups by state" className="pt-3">
      {countLooks(groups.items).map((each) => (
        <Chip
          key={each.look}
          pressed={look === each.look}
          count={each.count}
          onClick={() => onLook(look === each.look ? null : each.look)}
        >
          <LookSwatch look={each.look} />
          {groupFaces[each.look].word}
        </Chip>
      ))}
    </ChipRow>
  );
}

export function LookSwatch({ look, size = 11 }: { look: GroupLook; size?: number }) {
  const { fill, stroke } = groupFaces[look];
  return (
    <svg width={size} height={size} viewBox="0 0 11 11" aria-hidden="true" className="flex-none">
      <rect
        x={stroke === null ? 0 : 0.75}
        y={stroke === null ? 0 : 0.75}
        width={stroke === null ? 11 : 9.5}
        height={stroke === null ? 11 : 9.5}
        rx="2"
        fill={fill}
        stroke={stroke ?? undefined}
        strokeWidth="1.5"
      />
      {look === 'disagrees' && <path d="M2.5 8.5l6-6" stroke="var(--surface)" strokeWidth="1.5" />}
    </svg>
  );
}
