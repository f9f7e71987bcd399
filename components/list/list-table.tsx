'use client';

import { memo, useMemo } from 'react';
import Link from 'next/link';
import { clsx } from 'clsx';
import { useClusters } from '@/components/queries/cluster';
import { ClusterTag } from '@/components/shared/cluster-tag';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';
import { RowHead, Table, Tbody, Td, Th, Thead, Tr } from '@/components/ui/table';

/** A column of a list. On a phone a row is a grid, in which `className` places the cell. */
export interface Column<Row, Layout extends string = string> {
  title: React.ReactNode;
  /** CSS width; where rows have several layouts one for each that has the column. */
  width: string | { readonly [Each in Layout]?: string };
  numeric?: boolean;
  /** Rows whose next cell takes its room. Absent: none. */
  leaves?: (row: Row) => boolean;
  /** Only where there are several clusters. */
  ofSeveral?: true;
  className?: string | ((row: Row) => string);
  /** The tooltip of the cell. */
  hint?: (row: Row) => string | undefined;
  /** Of the link to the row's page, in the one column that names the row. */
  link?: string;
  cell: (row: Row) => React.ReactNode;
}

/** How rows are drawn and what they lead to. */
export interface Rows<Row> {
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
  /** Its page; null where it has none. */
  href: (row: Row) => string | null;
  rowClass?: string | ((row: Row) => string);
}

/** The link of a row: one line that covers the row on a phone. */
export const rowLink =
  'flex h-[30px] items-center gap-2 focus-visible:-outline-offset-2 max-desk:h-[22px] max-desk:text-[15px] max-desk:after:absolute max-desk:after:inset-0';

/** What a row is about: a glyph, its name, its namespace and, of several, its cluster. */
export function RowTitle({
  glyph,
  name,
  place,
  cluster,
}: {
  glyph: React.ReactNode;
  name: string;
  place: string;
  /** Its id. */
  cluster: string;
}) {
  return (
    <>
      {glyph}
      <b className="flex max-w-[75%] flex-none">
        <MiddleEllipsis text={name} />
      </b>
      <span className="min-w-0 truncate text-small text-ink-3">{place}</span>
      <ClusterTag cluster={cluster} className="flex-none" />
    </>
  );
}

/** The cluster of a row, where a name has no room for it; on a phone it is next to the name. */
export function clusterColumn<Row extends { cluster: string }, Layout extends string>(
  width: Column<Row, Layout>['width'],
): Column<Row, Layout> {
  return {
    title: 'Cluster',
    width,
    ofSeveral: true,
    className: 'max-desk:hidden',
    cell: ({ cluster }) => <ClusterTag cluster={cluster} />,
  };
}

/** The columns of a layout with their widths. */
export function useColumns<Row>(
  columns: readonly Column<Row>[],
  layout: string,
): { columns: readonly Column<Row>[]; widths: readonly string[] } {
  const { isSeveral } = useClusters();
  return useMemo(() => {
    const shown = columns.filter(
      (column) => widthOf(column, layout) !== undefined && (isSeveral || column.ofSeveral !== true),
    );
    const widths = shown.map((column) => widthOf(column, layout) ?? 'auto');
    return { columns: shown, widths: fitted(widths) };
  }, [columns, layout, isSeveral]);
}

/** Narrower ones have values that fit exactly. */
const WIDE_PERCENT = 12;

/** The wide columns give the room for those that do not fit. */
function fitted(widths: readonly string[]): readonly string[] {
  const percents = widths.map((width) => (width.endsWith('%') ? Number.parseFloat(width) : 0));
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  const wide = sum(percents.filter((percent) => percent >= WIDE_PERCENT));
  const excess = Math.round(sum(percents) - 100);
  if (excess <= 0) return widths;
  return widths.map((width, index) => {
    const percent = percents[index] ?? 0;
    return percent >= WIDE_PERCENT ? `${(percent * (wide - excess)) / wide}%` : width;
  });
}

/** The rows of a list, each a link to its page. */
export function ListTable<Row>({
  label,
  list,
  rows,
  selected,
  stickyTop,
  onSelect,
  onLeave,
}: {
  label: string;
  list: Rows<Row>;
  rows: readonly Row[];
  /** Key of the selected row. */
  selected: string;
  stickyTop: string;
  onSelect: (key: string) => void;
  /** Called before the link of a row is followed. */
  onLeave: (key: string) => void;
}) {
  const { columns, widths } = useColumns(list.columns, '');
  return (
    <Table label={label} columns={widths}>
      <ListHead columns={columns} stickyTop={stickyTop} />
      <Tbody>
        {rows.map((row) => (
          <ListRow
            key={list.keyOf(row)}
            row={row}
            list={list}
            columns={columns}
            current={list.keyOf(row) === selected}
            onSelect={onSelect}
            onLeave={onLeave}
          />
        ))}
      </Tbody>
    </Table>
  );
}

/** The width of a column in a layout; undefined where that leaves it out. */
function widthOf<Row>({ width }: Column<Row>, layout: string): string | undefined {
  return typeof width === 'string' ? width : width[layout];
}

export function ListHead<Row>({
  columns,
  stickyTop,
}: {
  columns: readonly Column<Row>[];
  stickyTop: string;
}) {
  return (
    <Thead stickyTop={stickyTop}>
      {columns.map(({ title, numeric }, index) => (
        <Th key={index} numeric={numeric}>
          {title}
        </Th>
      ))}
    </Thead>
  );
}

interface RowProps<Row> {
  row: Row;
  list: Rows<Row>;
  /** Those of the present layout. */
  columns: readonly Column<Row>[];
  /** Its number in the table, where only some rows are drawn. */
  index?: number;
  current: boolean;
  onSelect: (key: string) => void;
  onLeave: (key: string) => void;
}

/** One row. Redrawn only when it changes: pass stable values. */
export const ListRow = memo(RowOnce) as typeof RowOnce;

function RowOnce<Row>({
  row,
  list: { keyOf, href, rowClass },
  columns,
  index,
  current,
  onSelect,
  onLeave,
}: RowProps<Row>) {
  const key = keyOf(row);
  const target = href(row);
  return (
    <Tr
      data-row={key}
      index={index}
      current={current}
      aria-selected={current}
      onFocus={() => onSelect(key)}
      className={clsx(
        // Without it the browser paints the cells of all rows again when some are new.
        'desk:*:isolate',
        'scroll-my-20 max-desk:relative max-desk:grid max-desk:grid-cols-[minmax(0,1fr)_auto] max-desk:gap-x-3 max-desk:py-[9px]',
        typeof rowClass === 'function' ? rowClass(row) : rowClass,
      )}
    >
      {columns.map(({ numeric, className, hint, link, leaves, cell }, at) => {
        if (leaves?.(row) === true) return null;
        const span = columns[at - 1]?.leaves?.(row) === true ? 2 : undefined;
        const style = typeof className === 'function' ? className(row) : className;
        if (link === undefined || target === null) {
          return (
            <Td key={at} numeric={numeric} colSpan={span} className={style} title={hint?.(row)}>
              {cell(row)}
            </Td>
          );
        }
        return (
          <RowHead key={at} className={style}>
            <Link href={target} prefetch={false} onClick={() => onLeave(key)} className={link}>
              {cell(row)}
            </Link>
          </RowHead>
        );
      })}
    </Tr>
  );
}
