const HEIGHT = 34;
const PAD = 4;
/** In percent of the width: room for half a dot. */
const SIDE = 1.5;

/**
 * A figure over the periods up to this one, with gaps where it was not measured. Nothing with fewer than three
 * points.
 */
export function TrendLine({
  label,
  values,
  format,
  since,
}: {
  label: string;
  /** Oldest first. */
  values: readonly (number | null)[];
  format: (value: number) => string;
  /** When the first of them began, as text. */
  since: string;
}) {
  const measured = values.flatMap((value, index) => (value === null ? [] : [{ value, index }]));
  const last = measured.at(-1);
  if (measured.length < 3 || last === undefined) return null;
  const most = Math.max(...measured.map(({ value }) => value)) || 1;
  const x = (index: number) => SIDE + (index / (values.length - 1)) * (100 - 2 * SIDE);
  const y = (value: number) => PAD + (1 - value / most) * (HEIGHT - 2 * PAD);
  return (
    <svg
      width="100%"
      height={HEIGHT + 22}
      role="img"
      aria-label={`${label}, oldest first: ${values.map((value) => (value === null ? 'unknown' : format(value))).join(', ')}`}
      className="block max-w-[420px] overflow-visible pt-1.5"
    >
      <line x2="100%" y1={HEIGHT - PAD + 0.5} y2={HEIGHT - PAD + 0.5} stroke="var(--hair)" />
      {measured.map(({ value, index }, at) => {
        const before = measured[at - 1];
        return (
          before?.index === index - 1 && (
            <line
              key={index}
              x1={`${x(before.index)}%`}
              y1={y(before.value)}
              x2={`${x(index)}%`}
              y2={y(value)}
              stroke="var(--ink-3)"
              strokeWidth="1.5"
              strokeLinecap="round"
            />
          )
        );
      })}
      {measured.map(({ value, index }) => (
        <circle
          key={index}
          cx={`${x(index)}%`}
          cy={y(value)}
          r={index === values.length - 1 ? 3 : 1.75}
          fill={index === values.length - 1 ? 'var(--ink)' : 'var(--ink-3)'}
        >
          <title>{format(value)}</title>
        </circle>
      ))}
      <text x={0} y={HEIGHT + 13} className="fill-ink-3 text-micro">
        {since}
      </text>
      <text x="100%" y={HEIGHT + 13} textAnchor="end" className="fill-ink-2 text-micro">
        Now
      </text>
    </svg>
  );
}
