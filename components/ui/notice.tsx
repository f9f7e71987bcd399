import { clsx } from 'clsx';
import { Glyph, type GlyphName } from '@/components/ui/glyph';

const tones = {
  /** The data is stale, because a connection is lost; also a warning that blocks nothing. */
  stale: { ground: 'bg-degraded-soft', ink: 'text-degraded', glyph: 'degraded', role: 'status' },
  /** A part is missing. */
  partial: { ground: 'bg-fill', ink: 'text-ink-3', glyph: 'unknown', role: 'status' },
  /** An action was refused, or it failed. */
  refused: { ground: 'bg-stuck-soft', ink: 'text-stuck', glyph: 'stuck', role: 'alert' },
  /** The object changed while the viewer read it. */
  changed: { ground: 'bg-held-soft', ink: 'text-held', glyph: 'swap', role: 'alert' },
  good: { ground: 'bg-complete-soft', ink: 'text-complete', glyph: 'complete', role: 'status' },
  info: { ground: 'bg-fill', ink: 'text-ink-3', glyph: 'info', role: undefined },
} as const satisfies Record<
  string,
  { ground: string; ink: string; glyph: GlyphName; role: string | undefined }
>;

type NoticeTone = keyof typeof tones;

/**
 * A band with one message about the content below it: `title` in a few words with its full stop, `children` the rest,
 * `action` one small button. `rounded` when it does not reach the edges.
 * `<Notice tone="stale" title="This is 4 min old." action={<Button size="small">Try now</Button>}>…</Notice>`
 */
export function Notice({
  tone,
  title,
  action,
  rounded = true,
  className,
  children,
}: {
  tone: NoticeTone;
  title: React.ReactNode;
  action?: React.ReactNode;
  rounded?: boolean;
  className?: string;
  children?: React.ReactNode;
}) {
  const style = tones[tone];
  return (
    <div
      role={style.role}
      className={clsx(
        'flex flex-wrap items-start gap-x-2.5 gap-y-2 px-3.5 py-2.5 text-[12.5px]/[18px] max-desk:px-3',
        rounded && 'rounded-3',
        style.ground,
        className,
      )}
    >
      <Glyph name={style.glyph} className={clsx('mt-0.5', style.ink)} />
      <div className="min-w-0 flex-1 text-ink-2 [overflow-wrap:anywhere]">
        <b className="text-ink">{title}</b> {children}
      </div>
      {action}
    </div>
  );
}
