import Link from 'next/link';
import { clsx } from 'clsx';
import { Glyph } from '@/components/ui/glyph';

// Always underlined, if faintly: its color alone is too close to that of the text around it.
const linkClass =
  'rounded-2 text-accent underline decoration-accent/35 underline-offset-2 hover:decoration-current';

/** A link within a text. */
export function TextLink({ className, ...rest }: React.ComponentProps<typeof Link>) {
  return <Link {...rest} className={clsx(linkClass, className)} />;
}

/** A link out of Shiplog: opens in a new tab and sends no referrer. Pass only checked http(s) addresses. */
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
      className={clsx('inline-flex items-center gap-1', linkClass, className)}
    >
      {children}
      <Glyph name="external" size={11} />
      <span className="sr-only">, opens in a new tab</span>
    </a>
  );
}
