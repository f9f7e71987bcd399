'use client';

import { isPreconditionError } from '@/components/rollback/answer-errors';
import { confirmBlockedReason } from '@/components/rollback/confirm-blocked-reason';
import { useRefreshOnConflict } from '@/components/rollback/use-viewed-workload';
import { isOutcomeUnknown, type SendState, useSend } from '@/components/rollback/use-send';
import { useConnection } from '@/components/ui/connection';
import { errorText } from '@/components/ui/error-state';
import { type ActionAnswer } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';

interface ActionFormOptions<Body> {
  view: { isChanged: boolean; refresh: () => void; reload: () => Promise<void> };
  preview: { data: ActionAnswer | undefined; error: unknown };
  /** Whether the form is complete: a revision chosen, a number typed. */
  isChosen: boolean;
  needsDiff: boolean;
  send: (body: Body, idempotencyKey: string) => Promise<ActionAnswer>;
  onAnswer: (answer: ActionAnswer) => void;
}

/**
 * The state of every dialog that confirms a write: only previewed actions are sent, a change meanwhile requires a new
 * preview, and a request without an answer is resolved first.
 */
export function useActionForm<Body>({
  view,
  preview,
  isChosen,
  needsDiff,
  send,
  onAnswer,
}: ActionFormOptions<Body>) {
  const { stale } = useConnection();
  const { state, run, repeat, reset } = useSend<Body, ActionAnswer>(
    (body, key) => send(body, key).catch(acceptUnknownOutcome),
    onAnswer,
  );
  const isSending = state.kind === 'sending';
  const sendError = state.kind === 'failed' ? state.error : null;
  const isUnknown = sendError !== null && isOutcomeUnknown(sendError);
  const isConflict = isPreconditionError(preview.error) || isPreconditionError(sendError);
  // A request without an answer may itself be the cause of the change.
  const isChanged = (view.isChanged && !isSending) || isConflict;
  useRefreshOnConflict(isConflict, view.refresh);
  const block = confirmBlockedReason({
    isChosen,
    isStale: stale,
    isChanged,
    preview: { ...preview, message: preview.error ? errorText(preview.error) : '' },
    needsDiff,
  });

  function reload() {
    reset();
    void view.reload();
  }

  return {
    isChanged,
    isSending,
    sendError,
    /** Sends the body, unless confirming is blocked. */
    confirm: (body: Body) => void (block === null && run(body)),
    footer: {
      state: isChanged && !isUnknown ? ({ kind: 'idle' } satisfies SendState) : state,
      block,
      onRepeat: () => void repeat(),
      onReload: isChanged ? reload : undefined,
    },
  };
}

/** Shiplog itself follows a write that the API server did not answer: the action shows the result. */
function acceptUnknownOutcome(error: unknown): ActionAnswer {
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
