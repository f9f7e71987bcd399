import Link from 'next/link';
import { clsx } from 'clsx';
import { Glyph } from '@/components/ui/glyph';

// Underlined always, if faintly: its colour alone is too near to that of the text around it.
const look =
  'rounded-2 text-accent underline decoration-accent/35 underline-offset-2 hover:decoration-current';

/** A link within a text. */
export function TextLink({ className, ...rest }: React.ComponentProps<typeof Link>) {
  return <Link {...rest} className={clsx(look, className)} />;
}

/** A link that leaves Shiplog; opens beside it and tells the other side nothing. Pass only checked http(s) addresses. */
export function ExternalLink({
  href,
  className,
  children,
}: {
  href: string;
  className?: string;
  children: React.ReactNode;
}) {
  return (
    <a
      href={href}
      target="_blank"
      rel="noopener noreferrer"
      className={clsx('inline-flex items-center gap-1', look, className)}
    >
      {children}
      <Glyph name="external" size={11} />
      <span className="sr-only">, opens in a new tab</span>
    </a>
  );
}
