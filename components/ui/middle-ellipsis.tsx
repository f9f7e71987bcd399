import { clsx } from 'clsx';
import { TAIL_LENGTH } from '@/lib/format/truncate-middle';

/**
 * A literal that is cut in its middle where there is no room, because long names often differ at their end. It is
 * read and selected as one string.
 */
export function MiddleEllipsis({ text, className }: { text: string; className?: string }) {
  if (text.length <= TAIL_LENGTH)
    return <span className={clsx('inline-block max-w-full truncate align-bottom', className)}>{text}</span>;
  return (
    <span title={text} className={clsx('relative inline-flex max-w-full min-w-0 align-bottom', className)}>
      <span className="sr-only">{text}</span>
      <span aria-hidden="true" className="truncate whitespace-pre select-none">
        {text.slice(0, -TAIL_LENGTH)}
      </span>
      <span aria-hidden="true" className="flex-none whitespace-pre select-none">
        {text.slice(-TAIL_LENGTH)}
      </span>
    </span>
  );
}
