'use client';

import { useId, useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { sentenceOf } from '@/components/ui/error-state';
import { inputClass } from '@/components/ui/input';

/** A field for a comment; what was typed stays when it could not be sent, and is sent once however often one presses. */
export function CommentBox({
  label,
  initial = '',
  onSend,
  onCancel,
}: {
  label: string;
  initial?: string;
  onSend: (body: string, idempotencyKey: string) => Promise<void>;
  onCancel?: () => void;
}) {
  const id = useId();
  const [text, setText] = useState(initial);
  const [state, setState] = useState<'idle' | 'sending' | { error: string }>('idle');
  const attempt = useRef({ text: '', key: '' });
  const isEmpty = text.trim() === '';

  async function send() {
    if (isEmpty || state === 'sending') return;
    setState('sending');
    if (attempt.current.text !== text) attempt.current = { text, key: crypto.randomUUID() };
    try {
      await onSend(text, attempt.current.key);
      setText('');
      setState('idle');
    } catch (error) {
      setState({ error: sentenceOf(error) });
    }
  }

  return (
    <form
      className="mt-1.5 grid max-w-[640px] gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <textarea
        id={id}
        rows={2}
        autoFocus={onCancel !== undefined}
        maxLength={10_000}
        value={text}
        placeholder={label}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) {
            event.preventDefault();
            event.stopPropagation();
            void send();
          }
        }}
        className={`${inputClass} w-full px-2.5 py-1.5`}
      />
      {typeof state === 'object' && (
        <p role="alert" className="text-small text-stuck">
          {state.error}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" size="small" disabled={isEmpty || state === 'sending'}>
          {state === 'sending' ? 'Sending …' : initial === '' ? 'Comment' : 'Save'}
        </Button>
        {onCancel && (
          <Button size="small" tone="quiet" onClick={onCancel}>
            Cancel
          </Button>
        )}
      </div>
    </form>
  );
}
