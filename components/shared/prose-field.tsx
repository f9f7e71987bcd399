'use client';

import { useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { clsx } from 'clsx';
import { inputClass } from '@/components/ui/input';
import { Markdown } from '@/components/ui/markdown';
import { useMention } from '@/components/shared/use-mention';
import { COMMENT_CHARS_MAX } from '@/lib/api/review-values';

const COUNTED_FROM = 9_000;

/** The error of a text before it is sent, as a sentence; null without an error. A text is never truncated. */
export function validateProse(text: string): string | null {
  if (text.length > COMMENT_CHARS_MAX) {
    return `A comment can have up to ${COMMENT_CHARS_MAX.toLocaleString('en')} characters; this one has ${text.length.toLocaleString('en')}. Shorten it or link to the rest.`;
  }
  const found = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f\u202a-\u202e\u2066-\u2069]/.exec(text);
  if (found === null) return null;
  const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
  return `Character ${found.index + 1} is an invisible control character (U+${code}). Remove it.`;
}

/** A field for Markdown with a preview. `@` suggests people, ⌘↵ sends, Esc leaves it. */
export function ProseField({
  label,
  value,
  onChange,
  onSend,
  placeholder = label,
  autoFocus,
  isTerse = false,
  ref,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  /** Absent where the form around it handles ⌘↵ itself. */
  onSend?: () => void;
  placeholder?: string;
  autoFocus?: boolean;
  /** One line while it is empty. */
  isTerse?: boolean;
  ref?: React.Ref<HTMLTextAreaElement>;
}) {
  const id = useId();
  const [isRead, setIsRead] = useState(false);
  const field = useRef<HTMLTextAreaElement>(null);
  useImperativeHandle<HTMLTextAreaElement | null, HTMLTextAreaElement | null>(ref, () => field.current);
  /** Where the caret belongs once the text has been replaced. */
  const caret = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (caret.current === null) return;
    field.current?.setSelectionRange(caret.current, caret.current);
    caret.current = null;
  }, [value]);
  const { fieldProps, list } = useMention(field, (text, at) => {
    caret.current = at;
    onChange(text);
  });
  const isEmpty = value.trim() === '';
  const lines = Math.min(14, Math.max(isTerse && isEmpty ? 1 : 2, value.split('\n', 15).length));
  return (
    <div className="grid gap-1">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      {isRead && !isEmpty ? (
        <Markdown
          text={value}
          className="min-h-[54px] rounded-3 border border-line bg-sunken px-2.5 py-1.5 text-ink-2"
        />
      ) : (
        <textarea
          {...fieldProps}
          id={id}
          ref={field}
          rows={lines}
          dir="auto"
          autoFocus={autoFocus}
          value={value}
          placeholder={placeholder}
          aria-describedby={`${id}-note`}
          onChange={(event) => onChange(event.target.value)}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text/plain');
            if (pasted.length <= COMMENT_CHARS_MAX) return;
            // A browser that inserts it line by line freezes for minutes.
            event.preventDefault();
            const { selectionStart, selectionEnd } = event.currentTarget;
            const text = pasted.replaceAll('\r\n', '\n');
            onChange(value.slice(0, selectionStart) + text + value.slice(selectionEnd));
          }}
          onKeyDown={(event) => {
            fieldProps.onKeyDown?.(event);
            if (event.isPropagationStopped()) return;
            if (event.key === 'Escape') event.currentTarget.blur();
            if (onSend && event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
              event.preventDefault();
              event.stopPropagation();
              if (!event.repeat) onSend();
            }
          }}
          className={clsx(
            inputClass,
            'block w-full px-2.5',
            isTerse && isEmpty ? 'resize-none py-[5px]' : 'resize-y py-1.5',
          )}
        />
      )}
      {list}
      <p
        id={`${id}-note`}
        className={clsx(
          'min-h-[18px] flex-wrap items-center gap-x-2 text-small text-ink-3',
          isTerse && isEmpty ? 'hidden' : 'flex',
        )}
      >
        <button
          type="button"
          aria-pressed={isRead}
          disabled={isEmpty}
          onClick={() => setIsRead(!isRead)}
          className={clsx(
            'rounded-2 hover:text-ink disabled:text-ink-3',
            isEmpty ? '' : 'underline decoration-line-2',
          )}
        >
          {isRead ? 'Edit' : 'Preview'}
        </button>
        <span>Markdown</span>
        {value.length > COUNTED_FROM && (
          <span className={clsx('ml-auto', value.length > COMMENT_CHARS_MAX && 'text-stuck')}>
            {value.length.toLocaleString('en')} of {COMMENT_CHARS_MAX.toLocaleString('en')} characters
          </span>
        )}
      </p>
    </div>
  );
}
