import { clsx } from 'clsx';
import { Glyph, type GlyphName } from '@/components/ui/glyph';

/**
 * A place without content: nothing yet, no match, forbidden, failed. `title` states it, `children` why and what next,
 * `note` the literal details, `actions` small buttons. Centered with a `picture`, else at the start of the line.
 * `tone="bad"` colors the glyph where Shiplog is at fault.
 */
export function EmptyState({
  title,
  glyph,
  picture,
  tone = 'plain',
  note,
  actions,
  heading: Heading = 'h2',
  boxed = true,
  className,
  children,
}: {
  title: React.ReactNode;
  glyph?: GlyphName;
  picture?: React.ReactNode;
  tone?: 'plain' | 'bad';
  note?: React.ReactNode;
  actions?: React.ReactNode;
  /** `h1` where it is the only content of the page. */
  heading?: 'h1' | 'h2';
  boxed?: boolean;
  className?: string;
  children?: React.ReactNode;
}) {
  return (
    <div
      className={clsx(
        'grid gap-1.5',
        picture ? 'justify-items-center px-5 py-6 text-center' : 'justify-items-start p-4',
        boxed && 'rounded-3 border border-line bg-surface',
        className,
      )}
    >
      {picture}
      {glyph && <Glyph name={glyph} size={18} className={tone === 'bad' ? 'text-stuck' : 'text-ink-3'} />}
      <Heading className={clsx('font-medium', (picture !== undefined || glyph) && 'mt-2')}>{title}</Heading>
      {children && <div className="max-w-[60em] text-[12.5px]/[18px] text-pretty text-ink-2">{children}</div>}
      {note && <div className="text-small text-ink-3">{note}</div>}
      {actions && <div className="mt-1.5 flex flex-wrap gap-2">{actions}</div>}
    </div>
  );
}
