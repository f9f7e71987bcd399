import { clsx } from 'clsx';
import { CopyButton } from '@/components/ui/copy-button';

/** Machine output within a sentence: a log line, a path, a value. Breaks anywhere rather than widen the page. */
export function CodeText({ className, children }: { className?: string; children: React.ReactNode }) {
  return (
    <code
      className={clsx(
        'rounded-2 bg-fill box-decoration-clone px-[5px] py-px text-ink [overflow-wrap:anywhere]',
        className,
      )}
    >
      {children}
    </code>
  );
}

/**
 * Several lines, or one command, verbatim. Scrolls by itself and can be reached with Tab; `copy` adds a copy button.
 */
export function CodeBlock({
  label,
  text,
  copy = false,
  className,
}: {
  label: string;
  text: string;
  copy?: boolean;
  className?: string;
}) {
  return (
    <div className={clsx('relative w-full rounded-2 bg-fill', className)}>
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className={clsx(
          'overflow-auto px-2.5 py-1.5 font-mono text-[11.5px]/[18px]',
          copy && 'pr-20 max-desk:pt-9 max-desk:pr-2.5',
        )}
      >
        {text}
      </pre>
      {copy && (
        <CopyButton
          text={text}
          label={`Copy ${label}`}
          size="small"
          tone="quiet"
          className="absolute top-0.5 right-0.5 bg-fill! hover:bg-hover!"
        >
          Copy
        </CopyButton>
      )}
    </div>
  );
}
