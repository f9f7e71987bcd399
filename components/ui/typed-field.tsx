import { useId, useState } from 'react';
import { clsx } from 'clsx';
import { Input } from '@/components/ui/input';

/**
 * A field with a strict format, such as a time: parsed on Enter and on blur. An invalid text is left for correction,
 * with a valid example. Native time fields follow the browser's language instead of the page's.
 */
export function TypedField<Value>({
  label,
  text,
  read,
  example,
  onRead,
  className,
  inputClassName,
  inputRef,
  placeholder,
}: {
  label: string;
  /** The text while nothing is typed. */
  text: string;
  /** Null for an invalid text. */
  read: (typed: string) => Value | null;
  example: string;
  onRead: (value: Value) => void;
  className?: string;
  inputClassName?: string;
  inputRef?: React.Ref<HTMLInputElement>;
  placeholder?: string;
}) {
  const id = useId();
  const [typed, setTyped] = useState<string | null>(null);
  const [isWrong, setWrong] = useState(false);
  function commit() {
    const value = typed === null || typed === text ? undefined : read(typed);
    setWrong(value === null);
    if (value === null) return;
    setTyped(null);
    if (value !== undefined) onRead(value);
  }
  function cancel(event: React.KeyboardEvent) {
    if (typed === null) return;
    // It reverts the text of this field, and clears nothing of the page.
    event.preventDefault();
    setTyped(null);
    setWrong(false);
  }
  return (
    <span className={clsx('relative inline-block', className)}>
      <Input
        ref={inputRef}
        aria-label={label}
        placeholder={placeholder}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? id : undefined}
        autoComplete="off"
        spellCheck={false}
        value={typed ?? text}
        onChange={(event) => setTyped(event.target.value)}
        onBlur={commit}
        onKeyDown={(event) => {
          if (event.key === 'Enter') commit();
          if (event.key === 'Escape') cancel(event);
        }}
        className={clsx('w-full tabular-nums', inputClassName)}
      />
      {isWrong && (
        <span
          id={id}
          role="alert"
          className="absolute top-full left-0 z-8 mt-1 rounded-2 border border-line bg-raised px-1.5 py-0.5 text-small whitespace-nowrap text-stuck shadow-menu"
        >
          Use the format {example}
        </span>
      )}
    </span>
  );
}
