/** A width with a thickness, in pixels. */
interface StairStep {
  left: number;
  right: number;
  height: number;
}

/** Narrower ones are invisible; their neighbor covers their place. */
const WIDTH_MIN = 0.75;

/**
 * The outline of steps centered on `middle`, as path data; `rest` holds where no step is given. Null where no
 * step is wide enough to be visible.
 */
export function stairPath(steps: readonly StairStep[], rest: StairStep, middle: number): string | null {
  const visible = steps.filter(({ left, right }) => right - left >= WIDTH_MIN);
  if (visible.length === 0) return null;
  const outline: StairStep[] = [];
  let x = rest.left;
  for (const step of visible) {
    if (step.left - x >= WIDTH_MIN) outline.push({ ...rest, left: x, right: step.left });
    outline.push({ ...step, left: Math.max(x, Math.min(step.left, x + WIDTH_MIN)) });
    x = step.right;
  }
  if (rest.right - x >= WIDTH_MIN) outline.push({ ...rest, left: x });
  const upper = outline.map(({ right, height }) => `V${round(middle - height / 2)}H${round(right)}`).join('');
  const lower = outline
    .toReversed()
    .map(({ left, height }) => `V${round(middle + height / 2)}H${round(left)}`)
    .join('');
  return `M${round(rest.left)} ${round(middle)}${upper}${lower}Z`;
}

export function round(value: number): string {
  return String(Math.round(value * 10) / 10);
}
