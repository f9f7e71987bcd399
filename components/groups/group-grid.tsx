'use client';

import { useMemo, useState } from 'react';
import { cellAt, layoutCells, type CellLayout, pathOf } from '@/components/groups/cell-layout';
import {
  countByStatus,
  type GroupStatus,
  groupAppearance,
  describeGroup,
  groupStatusOf,
} from '@/components/groups/group-status';
import { useWidth } from '@/components/ui/use-width';
import type { GroupsItem } from '@/lib/api/groups';
import { uncapitalize } from '@/lib/format/text';

/**
 * Very many groups as cells in the order of their number, ten to a block. One path for each appearance, so that a
 * thousand groups cost no more than ten. The list next to it is the accessible alternative.
 */
export function GroupGrid({
  groups,
  shownStatus,
  onChoose,
}: {
  groups: GroupsItem;
  /** Other cells are drawn faintly. */
  shownStatus: GroupStatus | null;
  onChoose: (index: number) => void;
}) {
  const { ref, width } = useWidth();
  const [pointed, setPointed] = useState<number | null>(null);
  const { items, partition, desired } = groups;
  const layout = useMemo(() => layoutCells(items.length, width), [items.length, width]);
  const at = (event: React.MouseEvent<SVGSVGElement>) => {
    const box = event.currentTarget.getBoundingClientRect();
    return cellAt(layout, event.clientX - box.left, event.clientY - box.top);
  };
  const group = pointed === null ? undefined : items[pointed];
  return (
    <div ref={ref} className="pt-3">
      {width > 0 && (
        <svg
          role="img"
          aria-label={describeCounts(groups)}
          width={layout.width}
          height={layout.height}
          className="block max-w-full cursor-pointer"
          onPointerMove={(event) => setPointed(at(event))}
          onPointerLeave={() => setPointed(null)}
          onClick={(event) => {
            const index = at(event);
            if (index !== null) onChoose(index);
          }}
        >
          <Cells groups={groups} layout={layout} shownStatus={shownStatus} />
          {partition > 0 && partition < desired && <PartitionLine layout={layout} index={partition} />}
          {pointed !== null && (
            <path d={pathOf(layout, [pointed], -1.5)} fill="none" stroke="var(--ink)" strokeWidth="1.25" />
          )}
        </svg>
      )}
      <p aria-hidden="true" className="min-h-5 pt-1 text-small text-ink-3">
        {group ? (
          <>
            <b className="text-ink">Group {group.index}</b> {uncapitalize(describeGroup(group))},{' '}
            {group.pods.ready} of {group.size} pods ready
          </>
        ) : (
          <span className="max-desk:hidden">
            Ordered by number. Select a cell to find its group in the list.
          </span>
        )}
        {groups.more > 0 && ` ${groups.more.toLocaleString('en')} more groups are not shown.`}
      </p>
    </div>
  );
}

function Cells({
  groups: { items },
  layout,
  shownStatus,
}: {
  groups: GroupsItem;
  layout: CellLayout;
  shownStatus: GroupStatus | null;
}) {
  const byStatus = useMemo(() => {
    const indices = items.map((group, place) => ({ status: groupStatusOf(group), place }));
    return Map.groupBy(indices, (each) => each.status);
  }, [items]);
  return [...byStatus].map(([each, cells]) => {
    const { fill, stroke } = groupAppearance[each];
    const places = cells.map(({ place }) => place);
    return (
      <g key={each} opacity={shownStatus === null || shownStatus === each ? undefined : 0.25}>
        <path
          d={pathOf(layout, places, stroke === null ? 0 : 0.75)}
          fill={fill}
          stroke={stroke ?? 'none'}
          strokeWidth="1.5"
        />
        {each === 'disagrees' && (
          <path d={slashesOf(layout, places)} fill="none" stroke="var(--surface)" strokeWidth="1.5" />
        )}
      </g>
    );
  });
}

/** Color alone must not carry the meaning. */
function slashesOf(layout: CellLayout, places: readonly number[]): string {
  const { cell } = layout;
  return places
    .map((place) => {
      const { x, y } = layout.at(place);
      return `M${x + 0.25 * cell} ${y + 0.75 * cell}l${0.5 * cell} ${-0.5 * cell}`;
    })
    .join('');
}

/** Position of the partition: the cells from here on follow the target. */
function PartitionLine({ layout, index }: { layout: CellLayout; index: number }) {
  const { x, y } = layout.at(index);
  return (
    <path
      d={`M${x - layout.gap / 2 - 0.5} ${y - 1}v${layout.cell + 2}`}
      stroke="var(--held)"
      strokeWidth="2"
      strokeDasharray="3 2"
    />
  );
}

/** "1,000 groups: 3 starting, 640 updated, 357 pending". */
function describeCounts({ items }: GroupsItem): string {
  const counts = countByStatus(items).map(
    ({ status, count }) => `${count.toLocaleString('en')} ${groupAppearance[status].word.toLowerCase()}`,
  );
  return `${items.length.toLocaleString('en')} groups: ${counts.join(', ')}`;
}
