import { countByStatus, type GroupStatus, groupAppearance } from '@/components/groups/group-status';
import { Chip, ChipRow } from '@/components/ui/chip';
import type { GroupsItem } from '@/lib/api/groups';

/** Meaning and count of each cell color; a press filters the list by it. */
export function GroupLegend({
  groups,
  shownStatus,
  onShownStatus,
}: {
  groups: GroupsItem;
  shownStatus: GroupStatus | null;
  onShownStatus: (status: GroupStatus | null) => void;
}) {
  return (
    <ChipRow label="Groups by state" className="pt-3">
      {countByStatus(groups.items).map((each) => (
        <Chip
          key={each.status}
          pressed={shownStatus === each.status}
          count={each.count}
          onClick={() => onShownStatus(shownStatus === each.status ? null : each.status)}
        >
          <StatusSwatch status={each.status} />
          {groupAppearance[each.status].word}
        </Chip>
      ))}
    </ChipRow>
  );
}

export function StatusSwatch({ status, size = 11 }: { status: GroupStatus; size?: number }) {
  const { fill, stroke } = groupAppearance[status];
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
      {status === 'disagrees' && <path d="M2.5 8.5l6-6" stroke="var(--surface)" strokeWidth="1.5" />}
    </svg>
  );
}
