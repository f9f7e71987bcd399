import { clsx } from 'clsx';

/** Figures of one object in a row between two lines; two columns on a phone. Fill it with `Fact`. */
export function Facts({ className, children }: { className?: string; children: React.ReactNode }) {
  return (
    <dl
      className={clsx(
        'mt-3.5 flex flex-wrap gap-x-9 gap-y-2 border-y border-line pt-2.5 pb-3 text-small max-desk:grid max-desk:grid-cols-2 max-desk:gap-x-4 max-desk:gap-y-2.5 max-desk:text-body',
        className,
      )}
    >
      {children}
    </dl>
  );
}

/** One figure. `wide` takes the full row of a phone. */
export function Fact({
  label,
  wide = false,
  children,
}: {
  label: string;
  wide?: boolean;
  children: React.ReactNode;
}) {
  return (
    <div className={clsx('min-w-0', wide && 'max-desk:col-span-2')}>
      <dt className="mb-[3px] text-[11px]/[16px] text-ink-3">{label}</dt>
      <dd className="flex min-h-4 flex-wrap items-center gap-x-2 [overflow-wrap:anywhere]">{children}</dd>
    </div>
  );
}
