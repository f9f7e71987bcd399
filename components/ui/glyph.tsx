import { clsx } from 'clsx';

const shapes = {
  complete: <path d="M14.1 8A6.1 6.1 0 1 1 1.9 8a6.1 6.1 0 0 1 12.2 0ZM5.4 8.2l1.8 1.8 3.5-3.8" />,
  stuck: (
    <>
      <path fill="currentColor" stroke="none" d="M5.3 1.2h5.4l4.1 4.1v5.4l-4.1 4.1H5.3l-4.1-4.1V5.3z" />
      <path d="M8 4.6v4M8 11.2v.1" stroke="var(--surface)" strokeWidth="1.8" />
    </>
  ),
  degraded: <path d="M8 2.2 14.4 13.4H1.6zM8 6.6v3M8 11.5v.1" />,
  paused: <path d="M14.1 8A6.1 6.1 0 1 1 1.9 8a6.1 6.1 0 0 1 12.2 0ZM6.4 5.9v4.2M9.6 5.9v4.2" />,
  waiting: <path d="M14.1 8A6.1 6.1 0 1 1 1.9 8a6.1 6.1 0 0 1 12.2 0ZM8 4.7V8l2.2 1.5" />,
  unknown: (
    <>
      <circle cx="8" cy="8" r="6.1" strokeDasharray="2.2 2.6" />
      <path d="M6.5 6.6c.1-1 .8-1.5 1.6-1.5s1.5.5 1.5 1.3c0 1.2-1.6 1.2-1.6 2.5M8 11v.1" />
    </>
  ),
  back: <path d="M5.6 3.2 2.4 6.4l3.2 3.2M2.6 6.4h7a3.6 3.6 0 0 1 0 7.2H6.4" />,
  superseded: <path d="m3.4 4.2 3.8 3.8-3.8 3.8M8.6 4.2l3.8 3.8-3.8 3.8" />,
  failed: <path d="M14.1 8A6.1 6.1 0 1 1 1.9 8a6.1 6.1 0 0 1 12.2 0ZM5.9 5.9l4.2 4.2M10.1 5.9l-4.2 4.2" />,
  restart: <path d="M13.4 8a5.4 5.4 0 1 1-1.7-3.9M13.6 2.2v2.9h-2.9" />,
  arrow: <path d="M2.8 8h10.2M9.4 4.4 13 8l-3.6 3.6" />,
  'chevron-down': <path d="m4 6.2 4 4 4-4" />,
  'chevron-right': <path d="m6.2 4 4 4-4 4" />,
  'chevron-left': <path d="m9.8 4-4 4 4 4" />,
  archive: <path d="M2.2 3.2h11.6v3H2.2zM3.2 6.2v6.6h9.6V6.2M6.4 9h3.2" />,
  search: <path d="M11.4 7a4.4 4.4 0 1 1-8.8 0 4.4 4.4 0 0 1 8.8 0ZM10.3 10.3l3.2 3.2" />,
  pruned: (
    <>
      <circle cx="4.2" cy="4.2" r="1.9" />
      <circle cx="4.2" cy="11.8" r="1.9" />
      <path d="m5.8 5.4 7.6 6.2M5.8 10.6l7.6-6.2" />
    </>
  ),
  compare: <path d="M4.2 2.4v11.2M11.8 2.4v11.2M6.6 8h2.8" />,
  check: <path d="m3.2 8.6 3.2 3.2 6.6-7.2" />,
  note: <path d="M2.4 3.2h11.2v7.6H8.2L5.2 13.4v-2.6H2.4z" />,
  close: <path d="m4 4 8 8M12 4l-8 8" />,
  play: <path d="M4.6 3.2v9.6L12.8 8z" />,
  pause: <path d="M5.4 3.6v8.8M10.6 3.6v8.8" />,
  lock: <path d="M3.4 7.2h9.2v6.2H3.4zM5.2 7.2V5a2.8 2.8 0 0 1 5.6 0v2.2" />,
  list: <path d="M2.4 4h11.2M2.4 8h11.2M2.4 12h7" />,
  timeline: <path d="M2.4 4.4h6M5.4 8h8.2M3.8 11.6h4" />,
  steps: <path d="M2.4 12.6h3.4V9.2h3.6V5.8h4.2V3" />,
  review: <path d="M2.6 2.6h10.8v10.8H2.6zM5.4 8.2l1.9 1.9 3.5-3.9" />,
  info: <path d="M14.1 8A6.1 6.1 0 1 1 1.9 8a6.1 6.1 0 0 1 12.2 0ZM8 7.4v3.6M8 5v.1" />,
  copy: <path d="M5.6 5.6h7.8v7.8H5.6zM10.4 5.4V2.6H2.6v7.8h2.8" />,
  external: <path d="M9.4 2.8h3.8v3.8M13 3 7.6 8.4M11.2 9.4v3.8H2.8V4.8h3.8" />,
  filter: <path d="M2.4 4.2h11.2M4.6 8h6.8M6.6 11.8h2.8" />,
  trash: <path d="M2.8 4.4h10.4M6.2 4.2V2.6h3.6v1.6M4.2 4.6l.6 8.8h6.4l.6-8.8" />,
  terminal: <path d="M2.2 3h11.6v10H2.2zM4.8 6.2 6.8 8l-2 1.8M8.4 10.4h2.8" />,
  file: <path d="M4 2.2h5l3 3v8.6H4zM8.8 2.4v3h3" />,
  plug: <path d="M5.4 2.4v3M10.6 2.4v3M3.8 5.6h8.4v2a4.2 4.2 0 0 1-8.4 0zM8 12v2" />,
  plus: <path d="M8 3.4v9.2M3.4 8h9.2" />,
  minus: <path d="M3.4 8h9.2" />,
  swap: <path d="M2.8 5.4h9.6M9.8 2.8l2.6 2.6-2.6 2.6M13.2 10.8H3.6M6.2 8.2l-2.6 2.6 2.6 2.6" />,
  more: <path d="M3.6 8h.1M8 8h.1M12.4 8h.1" strokeWidth="2" />,
  keyboard: <path d="M1.8 4h12.4v8H1.8zM4.4 6.6h.1M7 6.6h.1M9.6 6.6h.1M11.8 6.6h.1M5.4 9.4h5.2" />,
  sun: (
    <>
      <circle cx="8" cy="8" r="2.9" />
      <path d="M8 1.6v1.2M8 13.2v1.2M1.6 8h1.2M13.2 8h1.2M3.5 3.5l.8.8M11.7 11.7l.8.8M3.5 12.5l.8-.8M11.7 4.3l.8-.8" />
    </>
  ),
  moon: <path d="M13.2 9.8A5.8 5.8 0 0 1 6.2 2.8a5.8 5.8 0 1 0 7 7Z" />,
  system: <path d="M2 3h12v8H2zM5.6 13.6h4.8M8 11.2v2.2" />,
} as const;

export type GlyphName = keyof typeof shapes;

/**
 * One glyph of the set, 14 px by default, in the color of its text. Hidden from assistive technology: a label is
 * always next to it.
 * `<Glyph name="stuck" size={12} className="text-stuck" />`
 */
export function Glyph({
  name,
  size = 14,
  className,
}: {
  name: GlyphName;
  size?: number;
  className?: string;
}) {
  return (
    <Frame size={size} className={className}>
      {shapes[name]}
    </Frame>
  );
}

/** A ring that is full at `share` 1: the progress of a rollout. */
export function RingGlyph({
  share,
  size = 14,
  className,
}: {
  share: number;
  size?: number;
  className?: string;
}) {
  const filled = Math.max(6, Math.min(100, Math.round(share * 100)));
  return (
    <Frame size={size} className={className}>
      <circle cx="8" cy="8" r="6.2" strokeWidth="2.4" opacity="0.26" />
      <Arc from={0} length={filled} />
    </Frame>
  );
}

/** A ring of `of` segments, the first `step` of them full: held at a step or partition. */
export function SegmentGlyph({ step, of, size = 14 }: { step: number; of: number; size?: number }) {
  const count = Math.max(2, Math.min(of, 8));
  const full = Math.round((Math.max(0, Math.min(step, of)) / Math.max(1, of)) * count);
  return (
    <Frame size={size}>
      {Array.from({ length: count }, (_, index) => (
        <Arc key={index} from={(100 / count) * index + 2.5} length={100 / count - 5} faint={index >= full} />
      ))}
    </Frame>
  );
}

function Arc({ from, length, faint = false }: { from: number; length: number; faint?: boolean }) {
  return (
    <circle
      cx="8"
      cy="8"
      r="6.2"
      strokeWidth="2.4"
      strokeLinecap="butt"
      pathLength="100"
      strokeDasharray={`${length} ${100 - length}`}
      strokeDashoffset={-from}
      transform="rotate(-90 8 8)"
      opacity={faint ? 0.26 : undefined}
    />
  );
}

function Frame({
  size,
  className,
  children,
}: {
  size: number;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      aria-hidden="true"
      focusable="false"
      className={clsx('inline-block flex-none align-[-2.5px]', className)}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.5"
      strokeLinecap="round"
      strokeLinejoin="round"
    >
      {children}
    </svg>
  );
}
