import Link from 'next/link';
import { clsx } from 'clsx';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { Kbd } from '@/components/ui/kbd';

export interface ButtonAppearance {
  /** `primary` is filled, one per view; `danger` is for destructive actions; `quiet` has no border. */
  tone?: 'primary' | 'default' | 'quiet' | 'danger';
  size?: 'normal' | 'small';
  glyph?: GlyphName;
  /** A glyph after the label, such as `chevron-down` for a menu. */
  glyphAfter?: GlyphName;
  /** The shortcut of the button; not shown on touch devices. */
  kbd?: string;
  /** On a phone only the glyph is visible; the label is still the accessible name. */
  glyphOnPhone?: boolean;
}

type ButtonProps = ButtonAppearance & Omit<React.ComponentProps<'button'>, 'size'>;

/**
 * A button labeled with its action and object. `disabledReason` disables it, and leaves it focusable, so that every
 * viewer can learn why: the reason becomes its description.
 */
export function Button({
  tone = 'default',
  size = 'normal',
  glyph,
  glyphAfter,
  kbd,
  glyphOnPhone,
  className,
  children,
  type = 'button',
  disabled,
  disabledReason,
  onClick,
  ...rest
}: ButtonProps & {
  /** Null: it is enabled. */
  disabledReason?: string | null;
}) {
  const refused = disabledReason != null;
  return (
    <button
      {...rest}
      type={type}
      data-tone={tone}
      disabled={refused ? undefined : disabled}
      aria-disabled={refused || undefined}
      title={disabledReason ?? rest.title}
      onClick={refused ? (event) => event.preventDefault() : onClick}
      className={clsx(buttonClass(tone, size, refused || disabled === true), className)}
    >
      <ButtonContent glyph={glyph} glyphAfter={glyphAfter} kbd={kbd} glyphOnPhone={glyphOnPhone}>
        {children}
      </ButtonContent>
    </button>
  );
}

/** A link that is styled as a button, for actions with an address. */
export function ButtonLink({
  tone = 'default',
  size = 'normal',
  glyph,
  glyphAfter,
  kbd,
  glyphOnPhone,
  className,
  children,
  ...rest
}: ButtonAppearance & React.ComponentProps<typeof Link>) {
  return (
    <Link {...rest} data-tone={tone} className={clsx(buttonClass(tone, size, false), className)}>
      <ButtonContent glyph={glyph} glyphAfter={glyphAfter} kbd={kbd} glyphOnPhone={glyphOnPhone}>
        {children}
      </ButtonContent>
    </Link>
  );
}

/** A square button with only a glyph; `label` is its name and its tooltip. */
export function IconButton({
  glyph,
  label,
  className,
  type = 'button',
  ...rest
}: { glyph: GlyphName; label: string } & Omit<React.ComponentProps<'button'>, 'children' | 'aria-label'>) {
  return (
    <button
      {...rest}
      type={type}
      aria-label={label}
      title={label}
      className={clsx(
        'inline-grid size-[28px] flex-none place-items-center rounded-3 text-ink-3 transition-colors hover:bg-hover hover:text-ink max-desk:size-10',
        'disabled:text-ink-3 disabled:opacity-50 disabled:hover:bg-transparent',
        className,
      )}
    >
      <Glyph name={glyph} />
    </button>
  );
}

function ButtonContent({
  glyph,
  glyphAfter,
  kbd,
  glyphOnPhone,
  children,
}: Pick<ButtonAppearance, 'glyph' | 'glyphAfter' | 'kbd' | 'glyphOnPhone'> & { children: React.ReactNode }) {
  return (
    <>
      {glyph && <Glyph name={glyph} className={glyphClass} />}
      {glyphOnPhone ? <span className="max-desk:sr-only">{children}</span> : children}
      {glyphAfter && <Glyph name={glyphAfter} className={glyphClass} />}
      {kbd && <Kbd className="max-desk:hidden">{kbd}</Kbd>}
    </>
  );
}

const glyphClass =
  'text-ink-3 group-data-[tone=primary]/btn:text-current group-data-[tone=primary]/btn:opacity-80 group-data-[tone=danger]/btn:text-current';

const tones = {
  primary: 'border-(--solid) bg-solid text-ink-inv hover:bg-solid-hi hover:border-solid-hi shadow-1',
  default: 'border-line-2 bg-surface text-ink hover:border-control hover:bg-hover shadow-1',
  quiet: 'border-transparent text-ink-2 hover:bg-hover hover:text-ink',
  danger: 'border-line-2 bg-surface text-stuck hover:border-control hover:bg-hover shadow-1',
} as const;

/** For a link that leaves the application. */
export function buttonClass(tone: keyof typeof tones, size: 'normal' | 'small', disabled: boolean): string {
  return clsx(
    'group/btn inline-flex items-center justify-center gap-[7px] rounded-3 border font-medium whitespace-nowrap transition-colors',
    size === 'small'
      ? 'h-[26px] px-2 text-small max-desk:h-[34px] max-desk:text-body'
      : 'h-[30px] px-[11px] max-desk:h-10',
    disabled ? 'cursor-default border-line bg-sunken text-ink-3' : tones[tone],
  );
}
