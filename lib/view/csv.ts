type Cell = string | number | null;

/** A column: its title, and its cell of a row. */
export type CsvColumn<Row> = readonly [string, (row: Row) => Cell];

/** Rows as CSV (RFC 4180), with a header. A note, such as what is missing, is the only cell of a row at the end. */
export function formatCsv<Row>(
  columns: readonly CsvColumn<Row>[],
  rows: readonly Row[],
  notes: readonly string[] = [],
): string {
  const lines = [
    columns.map(([title]) => csvCell(title)),
    ...rows.map((row) => columns.map(([, read]) => csvCell(read(row)))),
    ...notes.map((note) => columns.map((_, index) => (index === 0 ? csvCell(note) : ''))),
  ];
  return lines.map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Signs by which a spreadsheet recognizes a formula, also in full width. */
const FORMULA = String.raw`(?:[^\S\t\r\n]|[\u0000"])*[=+\-@\uff1d\uff0b\uff0d\uff20]`;

/**
 * Where a spreadsheet may begin a cell: at the beginning, in a further line, and behind the signs that separate
 * cells elsewhere. Where the semicolon does, quotes around this cell do not count.
 */
const FORMULA_START = new RegExp(String.raw`(?<=^|[;\t\r\n|])(?=${FORMULA})|^(?=[\t\r\n])`, 'g');

/**
 * A cell of CSV. A text that a spreadsheet would run as a formula gets an apostrophe in front, which makes it
 * text there. https://owasp.org/www-community/attacks/CSV_Injection
 */
export function csvCell(value: Cell): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = value.replace(FORMULA_START, "'");
  return /[",;\t\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
