'use client';

import { isChangedError } from '@/components/rollback/answer-errors';
import { confirmBlock } from '@/components/rollback/confirm-block';
import { useRefreshOn } from '@/components/rollback/use-look';
import { isUnsettled, type SendState, useSend } from '@/components/rollback/use-send';
import { useConnection } from '@/components/ui/connection';
import { sentenceOf } from '@/components/ui/error-state';
import { type ActionAnswer } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';

interface Asked<Body> {
  looking: { isChanged: boolean; refresh: () => void; lookAgain: () => Promise<void> };
  preview: { data: ActionAnswer | undefined; error: unknown };
  /** Whether it is decided what to do: a revision chosen, a number typed. */
  isChosen: boolean;
  needsDiff: boolean;
  send: (body: Body, idempotencyKey: string) => Promise<ActionAnswer>;
  onAnswer: (answer: ActionAnswer) => void;
}

/**
 * What every dialog does that asks before it writes: nothing is sent that was not previewed, what changed meanwhile turns
 * confirming into looking again, and what was sent without an answer is settled first.
 */
export function useAsk<Body>({ looking, preview, isChosen, needsDiff, send, onAnswer }: Asked<Body>) {
  const { stale } = useConnection();
  const { state, run, repeat, reset } = useSend<Body, ActionAnswer>(
    (body, key) => send(body, key).catch(followedAnswer),
    onAnswer,
  );
  const isSending = state.kind === 'sending';
  const sendError = state.kind === 'failed' ? state.error : null;
  const isUnknown = sendError !== null && isUnsettled(sendError);
  const isConflict = isChangedError(preview.error) || isChangedError(sendError);
  // What was sent and has no answer yet may itself be what changed it.
  const isChanged = (looking.isChanged && !isSending) || isConflict;
  useRefreshOn(isConflict, looking.refresh);
  const block = confirmBlock({
    isChosen,
    isStale: stale,
    isChanged,
    preview: { ...preview, message: preview.error ? sentenceOf(preview.error) : '' },
    needsDiff,
  });

  function lookAgain() {
    reset();
    void looking.lookAgain();
  }

  return {
    isChanged,
    isSending,
    sendError,
    /** Sends the body, unless something keeps it from being confirmed. */
    confirm: (body: Body) => void (block === null && run(body)),
    footer: {
      state: isChanged && !isUnknown ? ({ kind: 'idle' } satisfies SendState) : state,
      block,
      onRepeat: () => void repeat(),
      onLookAgain: isChanged ? lookAgain : undefined,
    },
  };
}

/** Shiplog itself follows a write that the API server did not answer: what became of it is told by the action. */
function followedAnswer(error: unknown): ActionAnswer {
  if (!(error instanceof AppError)) throw error;
  const { outcome, actionId } = error.details;
  if (outcome !== 'unknown' || typeof actionId !== 'string') throw error;
  return {
    plan: null,
    findings: [],
    diff: null,
    applied: false,
    result: { actionId, state: 'accepted' },
    toSeen: null,
    dryRun: null,
    revision: null,
  };
}
