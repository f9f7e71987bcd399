'use client';

import { MenuButton } from '@/components/ui/menu-button';
import type { MenuEntry } from '@/components/ui/menu-entry';
import { AbsoluteTime, useTimeFrame } from '@/components/ui/time';
import type { Incarnation } from '@/lib/api/earlier-incarnation';
import { formatDay, type TimeFrame } from '@/lib/format/time';
import { workloadPagePath, type WorkloadRef } from '@/components/queries/workload-ref';

/** The earlier incarnations of the name, each with a link; nothing with only one. */
export function IncarnationsLine({
  workload,
  incarnations,
  shown,
}: {
  workload: WorkloadRef;
  /** Newest first. */
  incarnations: readonly Incarnation[];
  /** Uid of the incarnation that the page shows. */
  shown: string;
}) {
  const frame = useTimeFrame();
  if (incarnations.length < 2) return null;
  const currentIncarnation = incarnations.find(({ to }) => to === null);
  const shownIncarnation = incarnations.find(({ uid }) => uid === shown);
  const earlier = incarnations.filter((incarnation) => incarnation !== currentIncarnation).length;
  return (
    <p className="flex flex-wrap items-center gap-x-1 pt-1.5 text-small text-ink-3">
      {shownIncarnation && shownIncarnation === currentIncarnation && (
        <span>
          This {workload.name} was created <AbsoluteTime iso={shownIncarnation.from} />.
        </span>
      )}
      <MenuButton
        size="small"
        tone="quiet"
        glyph="archive"
        items={incarnations.map((incarnation): MenuEntry => ({
          label: incarnationText(incarnation, frame),
          hint: incarnation.uid === shown ? 'shown' : undefined,
          href: workloadPagePath(
            workload,
            incarnation === currentIncarnation ? '' : `?${new URLSearchParams({ uid: incarnation.uid })}`,
          ),
        }))}
        className={shownIncarnation === currentIncarnation ? undefined : '-ml-2 max-desk:-ml-3'}
      >
        {shownIncarnation !== currentIncarnation
          ? `All ${incarnations.length} incarnations`
          : earlier === 1
            ? '1 earlier incarnation'
            : `${earlier} earlier incarnations`}
      </MenuButton>
    </p>
  );
}

/** "3 Aug, 10:12 to 28 Aug, 09:40"; "since 11:02" for the current one. */
function incarnationText({ from, to }: Incarnation, frame: TimeFrame): string {
  const day = (iso: string) => formatDay(Date.parse(iso), frame);
  return to === null ? `since ${day(from)}` : `${day(from)} to ${day(to)}`;
}
