import { Fragment } from 'react';
import Link from 'next/link';
import { MiddleEllipsis } from '@/components/ui/middle-ellipsis';

interface Crumb {
  label: string;
  /** Absent for the current page. */
  href?: string;
}

/** The location of the page; `children` follow the last crumb, such as the kind as a tag. */
export function Crumbs({ items, children }: { items: readonly Crumb[]; children?: React.ReactNode }) {
  return (
    <nav
      aria-label="Breadcrumbs"
      className="flex flex-wrap items-center gap-1.5 pt-4 text-small text-ink-3 max-desk:text-body"
    >
      {items.map((item, index) => (
        <Fragment key={index}>
          {index > 0 && <span aria-hidden="true">/</span>}
          {item.href === undefined ? (
            <b aria-current="page" className="text-ink [overflow-wrap:anywhere]">
              {item.label}
            </b>
          ) : (
            <Link
              href={item.href}
              className="flex max-w-full min-w-0 rounded-2 hover:text-ink max-desk:max-w-[52vw] max-desk:py-1.5"
            >
              <MiddleEllipsis text={item.label} />
            </Link>
          )}
        </Fragment>
      ))}
      {children}
    </nav>
  );
}
