/** A width with a thickness, in pixels. */
export interface Step {
  left: number;
  right: number;
  height: number;
}

/** Narrower ones are not seen; their neighbour takes their place. */
const WIDTH_MIN = 0.75;

/**
 * The outline of steps that lie evenly about `middle`, as path data; `rest` is what holds where no step says otherwise.
 * Null where no step is wide enough to be seen.
 */
export function stairPath(steps: readonly Step[], rest: Step, middle: number): string | null {
  const seen = steps.filter(({ left, right }) => right - left >= WIDTH_MIN);
  if (seen.length === 0) return null;
  const whole: Step[] = [];
  let x = rest.left;
  for (const step of seen) {
    if (step.left - x >= WIDTH_MIN) whole.push({ ...rest, left: x, right: step.left });
    whole.push({ ...step, left: Math.max(x, Math.min(step.left, x + WIDTH_MIN)) });
    x = step.right;
  }
  if (rest.right - x >= WIDTH_MIN) whole.push({ ...rest, left: x });
  const upper = whole.map(({ right, height }) => `V${n(middle - height / 2)}H${n(right)}`).join('');
  const lower = whole
    .toReversed()
    .map(({ left, height }) => `V${n(middle + height / 2)}H${n(left)}`)
    .join('');
  return `M${n(rest.left)} ${n(middle)}${upper}${lower}Z`;
}

function n(value: number): string {
  return String(Math.round(value * 10) / 10);
}
