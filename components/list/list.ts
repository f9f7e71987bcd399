import type { UseQueryStatesKeysMap, Values } from 'nuqs';
import type { BarProps, Filters } from '@/components/list/filters';
import type { StatedFilters } from '@/components/list/list-address';
import type { Rows } from '@/components/list/list-table';
import type { Selection } from '@/components/list/selection';
import type { PartialResult } from '@/lib/api/common';

export interface ListAnswer {
  items: readonly object[];
  partial?: readonly PartialResult[];
}

export type RowOf<Page extends ListAnswer> = Page['items'][number];

/** What a list uses of an infinite query. */
interface PagedAnswer<Page> {
  data: { pages: Page[] } | undefined;
  error: Error | null;
  /** Of other filters, until these are answered. */
  isPlaceholderData: boolean;
  hasNextPage: boolean;
  isFetchingNextPage: boolean;
  fetchNextPage: () => Promise<unknown>;
  refetch: () => Promise<unknown>;
}

/** A list that the server answers page by page: everything in which one differs from another. */
export interface List<
  Parsers extends UseQueryStatesKeysMap,
  Page extends ListAnswer,
  Facts = unknown,
> extends Rows<RowOf<Page>> {
  /** Of the page: "Records". */
  title: string;
  /** What it lists that its neighbors do not, in one line. */
  about?: string;
  /** Replaces title and line. */
  head?: React.ReactNode;
  /** Of the table: "Records, newest first". */
  label: string;
  /** What a row is: "record". */
  noun: string;
  /** The state of the page as stored in the address; names as in the API. */
  address: Parsers;
  useAnswer: (stated: StatedFilters<Values<Parsers>>) => PagedAnswer<Page>;
  filters: Filters<Values<Parsers>, Facts>;
  /** `FilterBar` or `SearchBar`. */
  Bar: React.ComponentType<BarProps<Values<Parsers>, Facts>>;
  /** What the filters count and offer. */
  useFacts?: (rows: readonly RowOf<Page>[] | undefined, last: Page | undefined) => Facts;
  /** At the end of the line of filters. */
  end?: React.ReactNode;
  /** The order of the rows, where it is not that of the answer. */
  useCompare?: () => (a: RowOf<Page>, b: RowOf<Page>) => number;
  /** Read from the cluster: nothing is said of it before that was reached. */
  isLive?: boolean;
  /** The filters stay in view, with keys that lead to them. */
  isSticky?: boolean;
  /** Where the selection is kept for longer than the page lasts. */
  useSelection?: () => Selection;
  /** What Enter opens, where that is not the page of the row. */
  open?: { label: string; href: (row: RowOf<Page>) => string };
  loading: { label: string; rows: number; rowHeight?: number };
  /** What parts are missing that could not be read: "Older entries could not be loaded." */
  missing?: string;
  more?: string;
  /** Said where no row matches the filters: how they match. */
  noMatch: string;
  /** Said where there is none at all. */
  empty: (last: Page) => React.ReactNode;
  /** Above the filters. */
  top?: (retry: () => void) => React.ReactNode;
  /** Below the rows. */
  bottom?: (last: Page) => React.ReactNode;
}
