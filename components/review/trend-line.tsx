const WIDTH = 292;
const HEIGHT = 34;
const PAD = 4;

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
  const x = (index: number) => PAD + (index / (values.length - 1)) * (WIDTH - 2 * PAD);
  const y = (value: number) => PAD + (1 - value / most) * (HEIGHT - 2 * PAD);
  const path = measured
    .map(
      ({ value, index }, at) => `${measured[at - 1]?.index === index - 1 ? 'L' : 'M'}${x(index)} ${y(value)}`,
    )
    .join('');
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT + 16}`}
      width="100%"
      role="img"
      aria-label={`${label}, oldest first: ${values.map((value) => (value === null ? 'not known' : format(value))).join(', ')}`}
      className="block max-w-[420px] print:max-w-[292px] overflow-visible pt-1.5"
    >
      <path d={`M0 ${HEIGHT - PAD + 0.5}H${WIDTH}`} stroke="var(--hair)" />
      <path d={path} fill="none" stroke="var(--ink-3)" strokeWidth="1.5" strokeLinejoin="round" />
      {measured.map(({ value, index }) => (
        <circle
          key={index}
          cx={x(index)}
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
      <text x={WIDTH} y={HEIGHT + 13} textAnchor="end" className="fill-ink-2 text-micro">
        now
      </text>
    </svg>
  );
}
