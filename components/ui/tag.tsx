import { clsx } from 'clsx';
import { Glyph, type GlyphName } from '@/components/ui/glyph';

const tones = {
  plain: 'bg-fill text-ink-2',
  target: 'bg-accent-soft text-accent',
  live: 'bg-fill text-ink',
  line: 'text-ink-2 inset-ring inset-ring-line',
  risk: 'bg-degraded-soft text-degraded',
  bad: 'bg-stuck-soft text-stuck',
  good: 'bg-complete-soft text-complete',
  held: 'bg-held-soft text-held',
} as const;

type TagTone = keyof typeof tones;

/**
 * A label in a small box: the status of a revision (`target`, `live`), a risk, a kind of object. Not clickable.
 * `<Tag tone="risk" glyph="degraded">2 risks</Tag>`
 */
export function Tag({
  tone = 'plain',
  glyph,
  title,
  className,
  children,
}: {
  tone?: TagTone;
  glyph?: GlyphName;
  title?: string;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    <span
      title={title}
      className={clsx(
        'inline-flex h-[18px] items-center gap-1 rounded-2 px-1.5 text-[11px]/[18px] font-medium whitespace-nowrap',
        tones[tone],
        className,
      )}
    >
      {glyph && <Glyph name={glyph} size={11} />}
      {children}
    </span>
  );
}
