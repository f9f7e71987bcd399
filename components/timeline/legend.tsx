import type { HatchIds } from '@/components/timeline/hatches';
import type { BarAppearance } from '@/lib/timeline/bar-layout';
import type { TimelineLayout } from '@/lib/timeline/layout';

/** The legend of the drawing: only what occurs in it. */
export function Legend({
  ids,
  layout,
  trouble,
}: {
  ids: HatchIds;
  layout: TimelineLayout;
  trouble: boolean;
}) {
  const looks = new Set<BarAppearance>(
    layout.lanes.flatMap(({ boxes }) => boxes.map(({ appearance }) => appearance)),
  );
  const boxes = layout.lanes.flatMap((lane) => lane.boxes);
  const isSampled = boxes.some(({ pods }) => pods !== null);
  const hasRolling = boxes.some(
    ({ rolling, appearance, width }) => rolling && width > 4 && appearance in pale,
  );
  const hasUnknown = looks.has('unknown') || layout.unrecorded.length > 0;
  return (
    <figcaption className="flex flex-wrap gap-x-[18px] gap-y-1 pt-2.5 text-small text-ink-3">
      {(looks.has('target') || looks.has('live')) && (
        <Entry text={isSampled ? 'Bar height: pods' : 'Bar height: pods now'}>
          <rect y="3" width="10" height="6" fill="var(--rev-live)" />
          <rect x="10" width="12" height="12" fill="var(--rev-live)" />
        </Entry>
      )}
      {(looks.has('unready') || looks.has('starting')) && (
        <Entry text={trouble ? 'Red hatch: not ready' : 'Hatch: starting'}>
          <rect
            x="1"
            y="1"
            width="20"
            height="10"
            rx="1"
            fill={`url(#${trouble ? ids.unready : ids.starting})`}
            stroke={trouble ? 'var(--stuck)' : 'var(--rev-target)'}
          />
        </Entry>
      )}
      {hasRolling && (
        <Entry text="Light: rolling out">
          <rect y="1" width="10" height="10" rx="1" fill="var(--rev-live)" fillOpacity="0.42" />
          <rect x="10" y="1" width="12" height="10" rx="1" fill="var(--rev-live)" />
        </Entry>
      )}
      {looks.has('past') && (
        <Entry text="Gray: past">
          <rect y="1" width="22" height="10" rx="1" fill="var(--rev-past)" />
        </Entry>
      )}
      {looks.has('failed') && (
        <Entry text="Failed">
          <rect x="8" y="1" width="5" height="10" rx="1" fill="var(--stuck-fill)" />
        </Entry>
      )}
      {looks.has('back') && (
        <Entry text="Rolled back">
          <rect x="8" y="1" width="5" height="10" rx="1" fill="var(--back-fill)" />
        </Entry>
      )}
      {layout.transitions.some(({ kind }) => kind === 'back') && (
        <Entry text="Rollback">
          <path d="M2 2C18 2 18 10 8 10" fill="none" stroke="var(--back)" strokeWidth="1.75" />
        </Entry>
      )}
      {hasUnknown && (
        <Entry text="Gray hatch: not observed">
          <rect y="1" width="22" height="10" fill={`url(#${ids.unknown})`} stroke="var(--line-2)" />
        </Entry>
      )}
    </figcaption>
  );
}

/** Appearances that are drawn pale during a rollout. */
const pale: Partial<Record<BarAppearance, true>> = { target: true, live: true, past: true };

function Entry({ text, children }: { text: string; children: React.ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1.5">
      <svg width="22" height="12" aria-hidden="true" className="overflow-visible">
        {children}
      </svg>
      {text}
    </span>
  );
}
