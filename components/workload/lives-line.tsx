'use client';

import { MenuButton, type MenuEntry } from '@/components/ui/menu-button';
import { AbsoluteTime, useTimeFrame } from '@/components/ui/time';
import { type Life } from '@/lib/api/workloads';
import { formatDay, type TimeFrame } from '@/lib/format/time';
import { workloadPagePath, type WorkloadRef } from '@/lib/queries/workload-ref';

/** That the name had other lives before, with the way to each; nothing where there is but one. */
export function LivesLine({
  workload,
  lives,
  shown,
}: {
  workload: WorkloadRef;
  /** Newest first. */
  lives: readonly Life[];
  /** Uid of the life that the page shows. */
  shown: string;
}) {
  const frame = useTimeFrame();
  if (lives.length < 2) return null;
  const present = lives.find(({ to }) => to === null);
  const own = lives.find(({ uid }) => uid === shown);
  const earlier = lives.filter((life) => life !== present).length;
  return (
    <p className="flex flex-wrap items-center gap-x-1 pt-1.5 text-small text-ink-3">
      {own && own === present && (
        <span>
          This {workload.name} was created <AbsoluteTime iso={own.from} />.
        </span>
      )}
      <MenuButton
        size="small"
        tone="quiet"
        glyph="archive"
        items={lives.map((life): MenuEntry => ({
          label: lifeText(life, frame),
          hint: life.uid === shown ? 'shown' : undefined,
          href: workloadPagePath(
            workload,
            life === present ? '' : `?${new URLSearchParams({ uid: life.uid })}`,
          ),
        }))}
        className={own === present ? undefined : '-ml-2 max-desk:-ml-3'}
      >
        {own !== present
          ? `All ${lives.length} lives`
          : earlier === 1
            ? '1 earlier life'
            : `${earlier} earlier lives`}
      </MenuButton>
    </p>
  );
}

/** "Mon 3 Aug 10:12 to Fri 28 Aug 09:40"; "since today 11:02" for the present one. */
export function lifeText({ from, to }: Life, frame: TimeFrame): string {
  const day = (iso: string) => formatDay(Date.parse(iso), frame);
  return to === null ? `since ${day(from)}` : `${day(from)} to ${day(to)}`;
}
