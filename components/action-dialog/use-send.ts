'use client';

import { useRef, useState } from 'react';
import { AppError } from '@/lib/errors';

export type SendState = { kind: 'idle' } | { kind: 'sending' } | { kind: 'failed'; error: unknown };

/**
 * Sends one confirmed action, once. A second press while a request is pending does nothing, and when no answer came
 * the same body is sent again under the same key, so that it is carried out at most once. A new body or a definite
 * answer starts a new key.
 */
export function useSend<Body, Answer>(
  send: (body: Body, idempotencyKey: string) => Promise<Answer>,
  onAnswer: (answer: Answer) => void,
  newKey: () => string = () => crypto.randomUUID(),
) {
  const [state, setState] = useState<SendState>({ kind: 'idle' });
  const isRunning = useRef(false);
  const attempt = useRef<{ key: string; body: Body; text: string } | null>(null);

  async function run(body: Body): Promise<void> {
    if (isRunning.current) return;
    isRunning.current = true;
    const text = JSON.stringify(body);
    if (attempt.current?.text !== text) attempt.current = { key: newKey(), body, text };
    setState({ kind: 'sending' });
    try {
      const answer = await send(body, attempt.current.key);
      attempt.current = null;
      setState({ kind: 'idle' });
      onAnswer(answer);
    } catch (error) {
      if (!isOutcomeUnknown(error)) attempt.current = null;
      setState({ kind: 'failed', error });
    } finally {
      isRunning.current = false;
    }
  }

  return {
    state,
    run,
    /** Resends the request that got no answer, to learn its result. */
    repeat: () => (attempt.current ? run(attempt.current.body) : Promise.resolve()),
    reset: () => setState({ kind: 'idle' }),
  };
}

/** Whether the outcome is unknown: no answer came, or one from a proxy instead of Shiplog. */
export function isOutcomeUnknown(error: unknown): boolean {
  if (!(error instanceof AppError)) return true;
  const { status, offline } = error.details;
  return offline === true || error.code === 'timeout' || (typeof status === 'number' && status >= 500);
}
