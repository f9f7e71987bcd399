'use client';

import { useCallback, useRef } from 'react';
import { ListHead, ListRow, type Rows, useColumns } from '@/components/list/list-table';
import { type AnchorLine, useScrollAnchor } from '@/components/list/scroll-anchor';
import { focusLink } from '@/components/list/use-row-keys';
import { FoldRow, GroupRow, Table } from '@/components/ui/table';
import { useFocusSelection } from '@/components/ui/use-focus-selection';
import { SpacerRow, useVirtualRows } from '@/components/ui/virtual-rows';

/** The sticky head of the table. */
const HEAD_PX = 28;

/** A list of any length, of which only the visible rows are drawn. Scrolls with the page. */
export function VirtualListTable<Row extends object>({
  label,
  list,
  lines,
  layout,
  heightOf,
  selected,
  stickyPx,
  follow,
  question,
  onSelect,
  onLeave,
  onOpen,
  onUnfold,
}: {
  label: string;
  list: Rows<Row>;
  lines: readonly AnchorLine<Row>[];
  /** Which columns there are: one of the names in their widths. */
  layout: string;
  /** The exact height of a line: it avoids measuring 10,000 rows. */
  heightOf: (line: AnchorLine<Row>) => number;
  /** Key of the selected row. */
  selected: string;
  /** Height of what covers the upper edge of the page. */
  stickyPx: number;
  /** Increments when a key moved the selection: the row then scrolls into view and takes the focus. */
  follow: number;
  /** Identifies the filters: with others the list is shown from its beginning. */
  question: string;
  onSelect: (key: string) => void;
  onLeave: (key: string) => void;
  /** Called for a press anywhere in a row. */
  onOpen: (row: Row) => void;
  /** Called with the key of a line that stands for rows. */
  onUnfold?: (key: string) => void;
}) {
  const { columns, widths } = useColumns(list.columns, layout);
  const body = useRef<HTMLTableSectionElement>(null);
  const keyOf = useCallback((index: number) => lines[index]?.key ?? String(index), [lines]);
  const { ref, rows, beforePx, afterPx, scrollTo } = useVirtualRows({
    count: lines.length,
    rowHeight: (index) => {
      const line = lines[index];
      return line ? heightOf(line) : 0;
    },
    keyOf,
    layout,
    stickyPx: stickyPx + HEAD_PX,
  });
  useFocusSelection(follow, {
    selected,
    indexOf: (key) => lines.findIndex((line) => line.key === key),
    scrollTo,
    focus: focusLink,
  });
  useScrollAnchor(body, lines, heightOf, question, stickyPx + HEAD_PX);
  const setBody = useCallback(
    (element: HTMLTableSectionElement | null) => {
      body.current = element;
      ref(element);
    },
    [ref],
  );

  return (
    <Table label={label} columns={widths} rowCount={lines.length + 1}>
      <ListHead columns={columns} stickyTop={`${stickyPx}px`} />
      <tbody
        ref={setBody}
        role="rowgroup"
        onClick={(event) => {
          const key = clickedRow(event);
          const line = lines.find((one) => one.key === key);
          if (line?.kind === 'row') onOpen(line.row);
        }}
        className="[overflow-anchor:none] max-desk:block [&>[data-row]]:cursor-pointer"
      >
        <SpacerRow heightPx={beforePx} />
        {rows.map(({ index, key }) => {
          const line = lines[index];
          if (line === undefined) return null;
          if (line.kind === 'fold')
            return (
              <FoldRow key={key} span={columns.length} onUnfold={() => onUnfold?.(line.key)}>
                {line.title}
              </FoldRow>
            );
          return line.kind === 'group' ? (
            <GroupRow
              key={key}
              title={line.title}
              remark={line.remark}
              count={line.count}
              span={columns.length}
            />
          ) : (
            <ListRow
              key={key}
              row={line.row}
              list={list}
              columns={columns}
              index={index + 2}
              current={line.key === selected}
              onSelect={onSelect}
              onLeave={onLeave}
            />
          );
        })}
        <SpacerRow heightPx={afterPx} />
      </tbody>
    </Table>
  );
}

/** The key of the row that was pressed itself: not a control in it, and not the end of a text selection. */
function clickedRow(event: React.MouseEvent): string | null {
  const target = event.target;
  if (event.defaultPrevented || event.metaKey || event.ctrlKey || event.shiftKey) return null;
  if (!(target instanceof Element) || target.closest('a, button')) return null;
  if (window.getSelection()?.type === 'Range') return null;
  return target.closest('[data-row]')?.getAttribute('data-row') ?? null;
}
