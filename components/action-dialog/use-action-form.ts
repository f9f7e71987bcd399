'use client';

import { useEffect, useEffectEvent, useRef, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import type { ActionDescription, ActionView } from '@/components/action-dialog/action-description';
import { confirmBlockedReason } from '@/components/action-dialog/confirm-blocked-reason';
import { isOutcomeUnknown, type SendState, useSend } from '@/components/action-dialog/use-send';
import type { Viewed } from '@/components/action-dialog/use-viewed';
import {
  actionPreviewQuery,
  type ActionRequest,
  type Confirmation,
  sendAction,
} from '@/components/queries/action-request';
import { useStaleReason } from '@/components/shared/use-stale-reason';
import { errorText } from '@/components/ui/error-state';
import type { ActionAnswer } from '@/lib/api/actions';
import { AppError } from '@/lib/errors';

interface Attempt {
  request: ActionRequest;
  confirmation: Confirmation;
}

/** What the footer of an open dialog shows and does. */
export interface ActionFormState {
  reason: string;
  /** Whether the viewer has changed it. */
  isReasonEdited: boolean;
  onReason: (reason: string) => void;
  state: SendState;
  /** Why confirming is disabled; null when it is enabled. */
  block: string | null;
  confirm: () => void;
  /** Resends the request that got no answer. */
  repeat: () => void;
  /** Present while the preview differs from the current state. */
  reload: (() => void) | undefined;
}

/**
 * The state of the dialog that confirms a write: only previewed actions are sent, a change meanwhile requires a new
 * preview, and a request without an answer is resolved first.
 */
export function useActionForm<Subject>({
  description,
  viewed,
  open,
  onAnswer,
}: {
  description: ActionDescription<Subject>;
  viewed: Viewed<Subject>;
  open: boolean;
  onAnswer: (answer: ActionAnswer) => void;
}): { view: ActionView<Subject>; form: ActionFormState } {
  const stale = useStaleReason(description.object.cluster);
  const fieldRef = useRef<HTMLInputElement>(null);
  const [input, setInput] = useState(() => description.initialInput(viewed.subject));
  const [reason, setReason] = useState(() => description.initialReason?.(viewed.subject) ?? '');
  const [initialReason] = useState(reason);
  const isTyping = useDebounced(input.partition) !== input.partition;

  const seen = description.seenOf(viewed.subject);
  const request = description.requestOf(viewed.subject, input);
  const preview = useQuery({
    ...actionPreviewQuery(request, seen, viewed.refreshCount),
    enabled: open && request !== null && !isTyping,
  });
  const { state, run, repeat, reset } = useSend<Attempt, ActionAnswer>(
    ({ request, confirmation }, key) => sendAction(request, confirmation, key).catch(acceptUnknownOutcome),
    onAnswer,
  );
  const sendError = state.kind === 'failed' ? state.error : null;
  const isConflict = isPreconditionError(preview.error) || isPreconditionError(sendError);
  // A request without an answer may itself be the cause of the change.
  const isChanged = (description.seenOf(viewed.now) !== seen && state.kind !== 'sending') || isConflict;
  useRefreshOnConflict(isConflict, viewed.refresh);
  const block = confirmBlockedReason({
    isChosen: request !== null,
    stale,
    isChanged,
    preview: { ...preview, message: preview.error ? errorText(preview.error) : '' },
    needsDiff: description.replacesTemplate === true,
  });

  function confirm() {
    if (block !== null || request === null) return;
    const toSeen = (description.replacesTemplate && preview.data?.toSeen) || undefined;
    void run({ request, confirmation: { seen, reason, toSeen } });
  }

  function reload() {
    reset();
    viewed.reload();
  }

  return {
    view: {
      first: viewed.first,
      viewed: viewed.subject,
      now: viewed.now,
      isReloaded: viewed.refreshCount > 0,
      isChanged,
      input,
      onInput: (change) => setInput((last) => ({ ...last, ...change })),
      request,
      preview,
      sendError,
      fieldRef,
    },
    form: {
      reason,
      isReasonEdited: reason !== initialReason,
      onReason: setReason,
      state: isChanged && !(sendError !== null && isOutcomeUnknown(sendError)) ? { kind: 'idle' } : state,
      block,
      confirm,
      repeat: () => void repeat(),
      reload: isChanged ? reload : undefined,
    },
  };
}

/** Whether the server answered that the object is no longer the viewed one. */
function isPreconditionError(error: unknown): boolean {
  return error instanceof AppError && (error.code === 'changed' || error.code === 'conflict');
}

/**
 * Refetches the object as soon as an answer reports that it has changed: the stream may be slower than the answer.
 */
function useRefreshOnConflict(isConflict: boolean, refresh: () => void): void {
  const onConflict = useEffectEvent(refresh);
  useEffect(() => {
    if (isConflict) onConflict();
  }, [isConflict]);
}

/** Longer than the pause between two digits, too short to be noticed. */
const DEBOUNCE_MS = 250;

/** The value once it has not changed for a moment, so that not every digit causes a dry run. */
function useDebounced<Value>(value: Value): Value {
  const [debounced, setDebounced] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setDebounced(value), DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return debounced;
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
