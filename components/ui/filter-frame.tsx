import { ChipRow, ClearFilters } from '@/components/ui/chip';

/** The bar above a list: a search field, the chips next to it, the reset, and what follows. */
export function FilterFrame({
  search,
  end,
  hasFilters,
  onClear,
  children,
}: {
  search?: React.ReactNode;
  end?: React.ReactNode;
  hasFilters: boolean;
  onClear: () => void;
  /** The chips. */
  children: React.ReactNode;
}) {
  return (
    <div
      role="search"
      className="flex flex-wrap items-start gap-x-3 gap-y-2 py-2.5 max-desk:flex-col max-desk:flex-nowrap max-desk:items-stretch"
    >
      {search !== undefined && <div className="desk:w-[268px] desk:flex-none">{search}</div>}
      <ChipRow label="Filters" className="min-w-0 flex-1 py-0.5">
        {children}
        {hasFilters && <ClearFilters onClear={onClear} />}
      </ChipRow>
      {end}
    </div>
  );
}
