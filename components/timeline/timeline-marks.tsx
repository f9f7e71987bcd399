import type { HatchIds } from '@/components/timeline/hatches';
import type { TimelineLayout } from '@/lib/timeline/layout';

/** The arrows between lanes, and the row of events. */
export function TimelineMarks({
  layout,
  ids,
  trouble,
  compact,
}: {
  layout: TimelineLayout;
  ids: HatchIds;
  trouble: boolean;
  compact: boolean;
}) {
  const { lanesBottom } = layout;
  const y = lanesBottom + 26;
  return (
    <g aria-hidden="true" className="pointer-events-none">
      {layout.transitions.map(({ path, kind, certain, toLane }, index) => {
        const isBad = trouble && kind === 'step' && layout.lanes[toLane]?.lane.role === 'target';
        return (
          <path
            key={index}
            d={path}
            fill="none"
            stroke={kind === 'back' ? 'var(--back)' : isBad ? 'var(--stuck)' : 'var(--control)'}
            strokeWidth={kind === 'back' ? 1.75 : isBad ? 1.5 : 1}
            strokeDasharray={certain ? undefined : '2 3'}
            markerEnd={kind === 'back' ? `url(#${ids.arrow})` : undefined}
          />
        );
      })}
      {!compact && (
        <text x={0} y={y}>
          Events
        </text>
      )}
      {layout.marks.map(({ x, warning, label, text }, index) => (
        <g key={index} className="pointer-events-auto">
          <title>{label}</title>
          <path d={`M${x} ${lanesBottom}V${lanesBottom + 10}`} stroke="var(--line-2)" />
          {warning ? (
            <path
              d={`M${x} ${y - 8.5}l5 8.5h-10z`}
              fill="var(--degraded-soft)"
              stroke="var(--degraded)"
              strokeWidth="1.5"
              strokeLinejoin="round"
            />
          ) : (
            <circle cx={x} cy={y - 4} r="3.5" fill="var(--surface)" stroke="var(--ink-2)" strokeWidth="1.5" />
          )}
          {text && (
            <text x={text.x} y={y} textAnchor={text.anchor} className="fill-ink-2!">
              {label}
            </text>
          )}
        </g>
      ))}
    </g>
  );
}
