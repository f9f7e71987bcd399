import { clsx } from 'clsx';

/** What tells one from another of the same beginning: the hash and the suffix of a pod, the end of a tag. */
const TAIL_LENGTH = 12;

/** A literal that is cut in its middle where there is no room for it: names of many things differ at their end. */
export function MiddleCut({ text, className }: { text: string; className?: string }) {
  const cut = Math.max(0, text.length - TAIL_LENGTH);
  return (
    <span title={text} className={clsx('inline-flex max-w-full min-w-0 align-bottom', className)}>
      <span className="truncate">{text.slice(0, cut)}</span>
      <span className="flex-none">{text.slice(cut)}</span>
    </span>
  );
}
