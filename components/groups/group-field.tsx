'use client';

import { useMemo, useState } from 'react';
import { cellAt, layOut, type Layout, pathOf } from '@/components/groups/field-layout';
import { countLooks, type GroupLook, groupFaces, groupWords, lookOf } from '@/components/groups/group-looks';
import { useWidth } from '@/components/ui/use-width';
import { type GroupsItem } from '@/lib/api/workloads';

/**
 * Very many groups as cells in the order of their number, ten to a block: one path for each look, so that a thousand cost
 * no more than ten. The list beside it says the same to whom can't see or point.
 */
export function GroupField({
  groups,
  look,
  onChoose,
}: {
  groups: GroupsItem;
  /** Others are drawn faintly. */
  look: GroupLook | null;
  onChoose: (index: number) => void;
}) {
  const { ref, width } = useWidth();
  const [pointed, setPointed] = useState<number | null>(null);
  const { items, partition, desired } = groups;
  const layout = useMemo(() => layOut(items.length, width), [items.length, width]);
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
          aria-label={wordsOf(groups)}
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
          <Cells groups={groups} layout={layout} look={look} />
          {partition > 0 && partition < desired && <Cut layout={layout} index={partition} />}
          {pointed !== null && (
            <path d={pathOf(layout, [pointed], -1.5)} fill="none" stroke="var(--ink)" strokeWidth="1.25" />
          )}
        </svg>
      )}
      <p aria-hidden="true" className="min-h-5 pt-1 text-small text-ink-3">
        {group ? (
          <>
            <b className="text-ink">Group {group.index}</b> {groupWords(group)}, {group.pods.ready} of{' '}
            {group.size} pods ready
          </>
        ) : (
          <span className="max-desk:hidden">
            In the order of their number, from the upper left; a click finds a group in the list.
          </span>
        )}
        {groups.more > 0 && ` ${groups.more.toLocaleString('en')} more groups are not drawn.`}
      </p>
    </div>
  );
}

function Cells({
  groups: { items },
  layout,
  look,
}: {
  groups: GroupsItem;
  layout: Layout;
  look: GroupLook | null;
}) {
  const byLook = useMemo(() => {
    const indices = items.map((group, place) => ({ look: lookOf(group), place }));
    return Map.groupBy(indices, (each) => each.look);
  }, [items]);
  return [...byLook].map(([each, cells]) => {
    const { fill, stroke } = groupFaces[each];
    const places = cells.map(({ place }) => place);
    return (
      <g key={each} opacity={look === null || look === each ? undefined : 0.25}>
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

/** Red alone would not do. */
function slashesOf(layout: Layout, places: readonly number[]): string {
  const { cell } = layout;
  return places
    .map((place) => {
      const { x, y } = layout.at(place);
      return `M${x + 0.25 * cell} ${y + 0.75 * cell}l${0.5 * cell} ${-0.5 * cell}`;
    })
    .join('');
}

/** Where the partition cuts: those from here on follow the target. */
function Cut({ layout, index }: { layout: Layout; index: number }) {
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

/** "1,000 groups: 3 starting, 640 updated and ready, 357 waits its turn". */
function wordsOf({ items }: GroupsItem): string {
  const counts = countLooks(items).map(
    ({ look, count }) => `${count.toLocaleString('en')} ${groupFaces[look].word}`,
  );
  return `${items.length.toLocaleString('en')} groups: ${counts.join(', ')}`;
}
