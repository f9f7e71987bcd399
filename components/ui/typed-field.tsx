import { useId, useState } from 'react';
import { clsx } from 'clsx';
import { Input } from '@/components/ui/input';

/**
 * A field for what is written by rules, such as a time: read on Enter and when it is left. What can't be read stays
 * there to be mended, with an example of what can. Native fields for times follow the browser's language instead of the page's.
 */
export function TypedField<Value>({
  label,
  text,
  read,
  example,
  onRead,
  className,
  inputClassName,
}: {
  label: string;
  /** What it says while nothing is typed. */
  text: string;
  /** Null for what can't be read. */
  read: (typed: string) => Value | null;
  example: string;
  onRead: (value: Value) => void;
  className?: string;
  inputClassName?: string;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  function settle() {
    const value = typed === null || typed === text ? undefined : read(typed);
    setWrong(value === null);
    if (value === null) return;
    setTyped(null);
    if (value !== undefined) onRead(value);
  }
  function leave(event: React.KeyboardEvent) {
    if (typed === null) return;
    // It takes back what was typed here, and clears nothing of the page.
    event.preventDefault();
    setTyped(null);
    setWrong(false);
  }
  return (
    <span className={clsx('relative inline-block', className)}>
      <Input
        aria-label={label}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? id : undefined}
        autoComplete="off"
        spellCheck={false}
        value={typed ?? text}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={settle}
        onKeyDown={(event) => {
          if (event.key === 'Enter') settle();
          if (event.key === 'Escape') leave(event);
        }}
        className={clsx('w-full tabular-nums', inputClassName)}
      />
      {isWrong && (
        <span
          id={id}
          role="alert"
          className="absolute top-full left-0 z-8 mt-1 rounded-2 border border-line bg-raised px-1.5 py-0.5 text-small whitespace-nowrap text-stuck shadow-menu"
        >
          Write it as {example}
        </span>
      )}
    </span>
  );
}
