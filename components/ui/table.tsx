import { clsx } from 'clsx';

/*
 * Every part has an explicit role, because on a phone `display` changes (a row becomes a block of lines), and
 * browsers then drop the table semantics.
 */

/** A table with hairlines. Give `columns` as widths for a fixed layout; cells then cut overflowing text. */
export function Table({
  label,
  columns,
  rowCount,
  className,
  children,
}: {
  label: string;
  columns?: readonly string[];
  /** The total number of rows, where only some are drawn. */
  rowCount?: number;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    <table
      role="table"
      aria-label={label}
      aria-rowcount={rowCount}
      className={clsx(
        'w-full border-separate border-spacing-0 max-desk:block',
        columns && 'desk:table-fixed',
        className,
      )}
    >
      {columns && (
        <colgroup className="max-desk:hidden">
          {columns.map((width, index) => (
            <col key={index} style={{ width }} />
          ))}
        </colgroup>
      )}
      {children}
    </table>
  );
}

/**
 * The head; `stickyTop` (CSS length) makes it sticky below other sticky content. Visually hidden on a phone, still
 * read by screen readers.
 */
export function Thead({ stickyTop, children }: { stickyTop?: string; children: React.ReactNode }) {
  return (
    <thead
      role="rowgroup"
      style={stickyTop === undefined ? undefined : { top: stickyTop }}
      className={clsx('max-desk:sr-only', stickyTop !== undefined && 'bg-canvas desk:sticky desk:z-3')}
    >
      <tr role="row">{children}</tr>
    </thead>
  );
}

export function Tbody({ children }: { children: React.ReactNode }) {
  return (
    <tbody role="rowgroup" className="max-desk:block">
      {children}
    </tbody>
  );
}

/** A column heading. */
export function Th({ numeric = false, children }: { numeric?: boolean; children?: React.ReactNode }) {
  return (
    <th
      role="columnheader"
      scope="col"
      className={clsx(
        'h-7 border-b border-line pr-3 text-micro whitespace-nowrap text-ink-3 last:pr-0',
        numeric ? 'text-end' : 'text-start',
      )}
    >
      {children}
    </th>
  );
}

/**
 * A row. `current` is the keyboard selection (j and k), `chosen` a picked row. On a phone give it a grid
 * (`max-desk:grid …`) and place the cells with `max-desk:[grid-area:…]`.
 */
export function Tr({
  current = false,
  chosen = false,
  index,
  className,
  children,
  ...rest
}: { current?: boolean; chosen?: boolean; index?: number } & Omit<React.ComponentProps<'tr'>, 'role'>) {
  return (
    <tr
      {...rest}
      role="row"
      aria-rowindex={index}
      data-current={current || undefined}
      className={clsx(
        'group/row max-desk:border-b max-desk:border-hair',
        chosen || current ? 'bg-selected max-desk:bleed' : 'hover:bg-hover',
        current && 'desk:[&>*:first-child]:shadow-[-2px_0_0_var(--accent)]',
        className,
      )}
    >
      {children}
    </tr>
  );
}

const cell =
  'h-[31px] border-b border-hair pr-3 whitespace-nowrap last:pr-0 max-desk:block max-desk:h-auto max-desk:border-0 max-desk:p-0';

/** The cell that names its row. */
export function RowHead({ className, children, ...rest }: React.ComponentProps<'th'>) {
  return (
    <th
      {...rest}
      role="rowheader"
      scope="row"
      className={clsx(cell, 'overflow-hidden text-start font-normal text-ellipsis', className)}
    >
      {children}
    </th>
  );
}

export function Td({
  numeric = false,
  className,
  children,
  ...rest
}: { numeric?: boolean } & React.ComponentProps<'td'>) {
  return (
    <td
      {...rest}
      role="cell"
      className={clsx(cell, 'overflow-hidden text-ellipsis', numeric && 'text-end', className)}
    >
      {children}
    </td>
  );
}

/** A row that heads a group of rows. */
export function GroupRow({
  title,
  count,
  remark,
  span,
}: {
  title: React.ReactNode;
  count?: number;
  remark?: React.ReactNode;
  span: number;
}) {
  return (
    <tr role="row" className="max-desk:block">
      <th
        role="rowheader"
        colSpan={span}
        scope="rowgroup"
        className="h-[34px] border-b border-line pt-2.5 text-start text-micro whitespace-nowrap text-ink max-desk:block max-desk:h-auto max-desk:whitespace-normal max-desk:pt-3.5 max-desk:pb-1 max-desk:text-small"
      >
        {title}
        {count !== undefined && (
          <span className="mr-1.5 ml-[5px] font-normal text-ink-3">{count.toLocaleString('en')}</span>
        )}
        {remark && <span className="ml-1.5 font-normal text-ink-3">{remark}</span>}
      </th>
    </tr>
  );
}

/** One line that stands for rows, with the button that shows them. */
export function FoldRow({
  span,
  onUnfold,
  children,
}: {
  span: number;
  onUnfold: () => void;
  children: React.ReactNode;
}) {
  return (
    <tr role="row" className="max-desk:block">
      <td
        role="cell"
        colSpan={span}
        className="h-[31px] border-b border-hair text-small text-ink-3 max-desk:block"
      >
        <button
          type="button"
          onClick={onUnfold}
          className="inline-flex items-center gap-2 rounded-2 pl-[22px] hover:text-ink max-desk:h-11"
        >
          {children}
          <span className="text-accent">Show</span>
        </button>
      </td>
    </tr>
  );
}
