import { clsx } from 'clsx';

/** The heading of a section of the page: its title, a muted remark, and its actions at the end. */
export function SectionHead({
  id,
  title,
  remark,
  end,
  className,
}: {
  /** Id of the heading, for `aria-labelledby` of the section. */
  id: string;
  title: React.ReactNode;
  remark?: React.ReactNode;
  end?: React.ReactNode;
  className?: string;
}) {
  return (
    <div className={clsx('flex flex-wrap items-baseline gap-x-3 gap-y-1.5', className)}>
      <h2 id={id} className="text-lead font-semibold tracking-[-0.011em]">
        {title}
      </h2>
      {remark && <p className="text-small text-ink-3">{remark}</p>}
      {end && (
        <div className="ml-auto flex items-center gap-2 text-small text-ink-3 max-desk:ml-0 max-desk:w-full">
          {end}
        </div>
      )}
    </div>
  );
}
