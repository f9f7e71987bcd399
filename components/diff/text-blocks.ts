import type { LineSpan } from '@/components/diff/line-diff';

/** Lines of both sides that one viewer draws. Counted from 0, ends are exclusive. */
export interface Hunk {
  kind: 'hunk';
  left: { start: number; end: number };
  right: { start: number; end: number };
}

/** Equal lines that are not drawn. `id` is stable while the texts do not change. */
export interface Fold {
  kind: 'fold';
  id: number;
  lines: number;
}

type Block = Hunk | Fold;

/** Equal lines shown on either side of a change. */
const CONTEXT_LINES = 3;

/** A fold must hide more lines than its own row takes. */
const FOLDED_LINES_MIN = 4;

/** Lines in one hunk: few enough to draw without a delay, many enough that a screen needs only some hunks. */
export const HUNK_LINES_MAX = 60;

/** What to draw: stretches around changes as hunks, equal ones between them as folds unless their id is in `open`. */
export function toTextBlocks(spans: readonly LineSpan[], open: ReadonlySet<number>): Block[] {
  const blocks: Block[] = [];
  spans.forEach((span, index) => {
    const before = index === 0 ? 0 : CONTEXT_LINES;
    const after = index === spans.length - 1 ? 0 : CONTEXT_LINES;
    const hidden = span.left.end - span.left.start - before - after;
    const { start, end } = span.left;
    if (!span.equal || hidden < FOLDED_LINES_MIN || open.has(start)) {
      appendToHunks(blocks, span);
      return;
    }
    appendToHunks(blocks, sliceSpan(span, start, start + before));
    blocks.push({ kind: 'fold', id: start, lines: hidden });
    appendToHunks(blocks, sliceSpan(span, end - after, end));
  });
  return blocks;
}

function sliceSpan(span: LineSpan, start: number, end: number): LineSpan {
  const shift = span.right.start - span.left.start;
  return { equal: true, left: { start, end }, right: { start: start + shift, end: end + shift } };
}

/** Adds a stretch to the last hunk while there is room, then to new ones. */
function appendToHunks(blocks: Block[], { left, right }: LineSpan): void {
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
