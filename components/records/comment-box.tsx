'use client';

import { useRef, useState } from 'react';
import { Button } from '@/components/ui/button';
import { useDraft } from '@/components/ui/draft';
import { errorText } from '@/components/ui/error-state';
import { validateProse, ProseField } from '@/components/shared/prose-field';

/**
 * A field for a comment. A draft survives a failed request, leaving the page and reloading it, and is sent once
 * however often the button is pressed.
 */
export function CommentBox({
  label,
  draft,
  initial = '',
  onSend,
  onCancel,
}: {
  label: string;
  /** The storage key of the draft. */
  draft: string;
  initial?: string;
  onSend: (body: string, idempotencyKey: string) => Promise<void>;
  onCancel?: () => void;
}) {
  const [text, setText] = useDraft(draft, initial);
  const [state, setState] = useState<'idle' | 'sending' | { error: string }>('idle');
  const attempt = useRef({ text: '', key: '' });
  const isSending = useRef(false);
  const isEmpty = text.trim() === '';

  async function send() {
    if (isEmpty || isSending.current) return;
    const problem = validateProse(text);
    if (problem !== null) return setState({ error: problem });
    isSending.current = true;
    setState('sending');
    if (attempt.current.text !== text) attempt.current = { text, key: crypto.randomUUID() };
    try {
      await onSend(text, attempt.current.key);
      setText(initial);
      setState('idle');
    } catch (error) {
      setState({ error: errorText(error) });
    } finally {
      isSending.current = false;
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
      <ProseField
        label={label}
        value={text}
        onChange={setText}
        onSend={() => void send()}
        autoFocus={onCancel !== undefined}
      />
      {typeof state === 'object' && (
        <p role="alert" className="text-small text-stuck">
          {state.error}
        </p>
      )}
      <div className="flex gap-2">
        <Button type="submit" size="small" disabled={isEmpty || state === 'sending'}>
          {state === 'sending' ? 'Sending…' : initial === '' ? 'Comment' : 'Save'}
        </Button>
        {onCancel && (
          <Button size="small" tone="quiet" onClick={onCancel}>
            {text === initial ? 'Cancel' : 'Keep draft'}
          </Button>
        )}
      </div>
    </form>
  );
}
