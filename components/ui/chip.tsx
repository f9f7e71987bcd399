import { clsx } from 'clsx';
import { Glyph, type GlyphName } from '@/components/ui/glyph';

/** The style of a chip, for other controls (a menu that opens from a chip). */
export function chipClass(pressed = false): string {
  return clsx(
    'inline-flex h-[26px] max-w-full flex-none items-center gap-1.5 rounded-full border bg-surface px-[9px] text-small whitespace-nowrap transition-colors',
    'max-desk:h-[34px] max-desk:px-3 max-desk:text-body',
    pressed
      ? 'border-ink font-medium text-ink'
      : 'border-line text-ink-2 hover:border-control hover:text-ink',
  );
}

/**
 * A filter that is on or off, with its number of matches.
 * `<Chip pressed count={4} onClick={…}>Needs attention</Chip>`
 */
export function Chip({
  pressed,
  count,
  glyph,
  className,
  children,
  ...rest
}: { pressed: boolean; count?: number; glyph?: GlyphName } & Omit<
  React.ComponentProps<'button'>,
  'type' | 'aria-pressed'
>) {
  return (
    <button {...rest} type="button" aria-pressed={pressed} className={clsx(chipClass(pressed), className)}>
      {glyph && <Glyph name={glyph} size={12} />}
      {typeof children === 'string' ? <span className="min-w-0 truncate">{children}</span> : children}
      {count !== undefined && <span className="font-normal text-ink-3">{count.toLocaleString('en')}</span>}
    </button>
  );
}

/** Chips in a row; on a phone the row scrolls sideways, the page never does. */
export function ChipRow({
  label,
  className,
  children,
}: {
  label: string;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    <div
      role="group"
      aria-label={label}
      className={clsx(
        'flex flex-wrap items-center gap-1.5',
        'max-desk:bleed max-desk:flex-nowrap max-desk:overflow-x-auto max-desk:py-0.5 max-desk:scrollbar-none',
        className,
      )}
    >
      {children}
    </div>
  );
}

/** The reset at the end of a row of chips where some are pressed. */
export function ClearFilters({ onClear }: { onClear: () => void }) {
  return (
    <button
      type="button"
      onClick={onClear}
      className="flex-none rounded-2 px-1.5 text-small text-ink-3 hover:text-ink max-desk:h-[34px] max-desk:text-body"
    >
      Clear
    </button>
  );
}
