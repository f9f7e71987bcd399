'use client';

import { useRef, useState } from 'react';
import { AppError } from '@/lib/errors';

export type SendState = { kind: 'idle' } | { kind: 'sending' } | { kind: 'failed'; error: unknown };

/**
 * Sends one confirmed action, once: a second press while the first is under way does nothing, and when no answer came
 * the same body is sent again under the same key, so that it is carried out once at most. A new body, or an answer that
 * settles the matter, starts a new key.
 */
export function useSend<Body, Answer>(
  send: (body: Body, idempotencyKey: string) => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
  newKey: () => string = () => crypto.randomUUID(),
) {
  const [state, setState] = useState<SendState>({ kind: 'idle' });
  const isUnderWay = useRef(false);
  const attempt = useRef<{ key: string; body: Body; text: string } | null>(null);

  async function run(body: Body): Promise<void> {
    if (isUnderWay.current) return;
    isUnderWay.current = true;
    const text = JSON.stringify(body);
    if (attempt.current?.text !== text) attempt.current = { key: newKey(), body, text };
    setState({ kind: 'sending' });
    try {
      const answer = await send(body, attempt.current.key);
      attempt.current = null;
      setState({ kind: 'idle' });
      onAnswer(answer);
    } catch (error) {
      if (!isUnsettled(error)) attempt.current = null;
      setState({ kind: 'failed', error });
    } finally {
      isUnderWay.current = false;
    }
  }

  return {
    state,
    run,
    /** Sends what was left without an answer once more, to learn what became of it. */
    repeat: () => (attempt.current ? run(attempt.current.body) : Promise.resolve()),
    reset: () => setState({ kind: 'idle' }),
  };
}

/** Whether it may or may not have been carried out: no answer came, or one that speaks for nobody. */
export function isUnsettled(error: unknown): boolean {
  if (!(error instanceof AppError)) return true;
  const { status, offline } = error.details;
  return offline === true || error.code === 'timeout' || (typeof status === 'number' && status >= 500);
}
