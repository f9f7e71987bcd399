/** Positions of the cells of a grid, in pixels. */
export interface CellLayout {
  cell: number;
  gap: number;
  columns: number;
  count: number;
  width: number;
  height: number;
  at: (place: number) => { x: number; y: number };
}

const BLOCK = 10;
/** For the outline of the hovered cell, and for the line of the partition. */
const MARGIN = 4;
const CELLS = [20, 16, 13, 10, 8, 6];
/** A taller picture does not fit one screen. */
const HEIGHT_MAX = 330;

/** The largest cells with which all of them fit one screen; rows hold whole blocks of ten. */
export function layoutCells(count: number, width: number): CellLayout {
  const all = CELLS.map((cell) => layoutWithCellSize(count, width, cell));
  const fitting = all.find(({ height }) => height <= HEIGHT_MAX);
  const smallest = all.at(-1);
  return fitting ?? smallest ?? layoutWithCellSize(count, width, 6);
}

/** The index of the cell at a point; null outside the cells. */
export function cellAt(layout: CellLayout, x: number, y: number): number | null {
  const { cell, gap, columns, count } = layout;
  const pitch = cell + gap;
  const block = BLOCK * pitch + gap * 2;
  const [right, down] = [x - MARGIN, y - MARGIN];
  const column = Math.floor(right / block) * BLOCK + Math.min(BLOCK - 1, Math.floor((right % block) / pitch));
  const place = Math.floor(down / (pitch + gap)) * columns + column;
  return right >= 0 && down >= 0 && column < columns && place < count ? place : null;
}

/** The cells at those indexes as one path, each drawn `inset` within its bounds. */
export function pathOf(layout: CellLayout, places: readonly number[], inset: number): string {
  const side = layout.cell - 2 * inset;
  const round = Math.min(2.5, side / 4);
  const corner = (dx: number, dy: number) => `a${round} ${round} 0 0 1 ${dx} ${dy}`;
  const straight = side - 2 * round;
  const shape = `h${straight}${corner(round, round)}v${straight}${corner(-round, round)}h${-straight}${corner(-round, -round)}v${-straight}${corner(round, -round)}z`;
  return places
    .map((place) => {
      const { x, y } = layout.at(place);
      return `M${x + inset + round} ${y + inset}${shape}`;
    })
    .join('');
}

function layoutWithCellSize(count: number, width: number, cell: number): CellLayout {
  const gap = cell > 12 ? 3 : 2;
  const pitch = cell + gap;
  const block = BLOCK * pitch + gap * 2;
  const columns = Math.max(1, Math.floor((width - 2 * MARGIN) / block)) * BLOCK;
  const rows = Math.ceil(count / columns);
  const at = (place: number) => {
    const column = place % columns;
    return {
      x: MARGIN + Math.floor(column / BLOCK) * block + (column % BLOCK) * pitch,
      y: MARGIN + Math.floor(place / columns) * (pitch + gap),
    };
  };
  return {
    cell,
    gap,
    columns,
    count,
    width: 2 * MARGIN + Math.ceil(Math.min(columns, count) / BLOCK) * block,
    height: 2 * MARGIN + rows * (pitch + gap),
    at,
  };
}
