import { type Stretch } from '@/components/diff/line-diff';

/** Lines of both sides that are drawn by one viewer. Counted from 0, ends are exclusive. */
export interface Hunk {
  kind: 'hunk';
  left: { start: number; end: number };
  right: { start: number; end: number };
}

/** Equal lines that are not drawn; `id` stays the same while the texts do. */
export interface Fold {
  kind: 'fold';
  id: number;
  lines: number;
}

export type Block = Hunk | Fold;

/** Equal lines shown on either side of a change. */
const CONTEXT_LINES = 3;

/** A fold has to hide more than its own row takes. */
const FOLDED_LINES_MIN = 4;

/** Lines in one hunk: few enough that drawing one is not felt, enough that a screen needs only some. */
export const HUNK_LINES_MAX = 60;

/** What to draw: stretches around changes as hunks, equal ones between them as folds unless their id is in `open`. */
export function textBlocks(stretches: readonly Stretch[], open: ReadonlySet<number>): Block[] {
  const blocks: Block[] = [];
  stretches.forEach((stretch, index) => {
    const before = index === 0 ? 0 : CONTEXT_LINES;
    const after = index === stretches.length - 1 ? 0 : CONTEXT_LINES;
    const hidden = stretch.left.end - stretch.left.start - before - after;
    const { start, end } = stretch.left;
    if (!stretch.equal || hidden < FOLDED_LINES_MIN || open.has(start)) {
      draw(blocks, stretch);
      return;
    }
    draw(blocks, cut(stretch, start, start + before));
    blocks.push({ kind: 'fold', id: start, lines: hidden });
    draw(blocks, cut(stretch, end - after, end));
  });
  return blocks;
}

function cut(stretch: Stretch, start: number, end: number): Stretch {
  const shift = stretch.right.start - stretch.left.start;
  return { equal: true, left: { start, end }, right: { start: start + shift, end: end + shift } };
}

/** Adds a stretch to the hunk at the end while there is room, else to new ones. */
function draw(blocks: Block[], { left, right }: Stretch): void {
  let leftAt = left.start;
  let rightAt = right.start;
  while (leftAt < left.end || rightAt < right.end) {
    const hunk = lastHunk(blocks, leftAt, rightAt);
    const room =
      HUNK_LINES_MAX - Math.max(hunk.left.end - hunk.left.start, hunk.right.end - hunk.right.start);
    leftAt = hunk.left.end = Math.min(left.end, leftAt + room);
    rightAt = hunk.right.end = Math.min(right.end, rightAt + room);
  }
}

function lastHunk(blocks: Block[], leftAt: number, rightAt: number): Hunk {
  const last = blocks.at(-1);
  if (last?.kind === 'hunk') {
    const lines = Math.max(last.left.end - last.left.start, last.right.end - last.right.start);
    if (lines < HUNK_LINES_MAX) return last;
  }
  const hunk: Hunk = {
    kind: 'hunk',
    left: { start: leftAt, end: leftAt },
    right: { start: rightAt, end: rightAt },
  };
  blocks.push(hunk);
  return hunk;
}
