'use client';

import { useState } from 'react';
import { CHECKING } from '@/components/action-dialog/confirm-blocked-reason';
import type { ActionFormState } from '@/components/action-dialog/use-action-form';
import { isOutcomeUnknown } from '@/components/action-dialog/use-send';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { errorText } from '@/components/ui/error-state';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { Field, Input } from '@/components/ui/input';
import { Notice } from '@/components/ui/notice';
import { useShortcuts } from '@/components/ui/shortcuts';
import { AbsoluteTime } from '@/components/ui/time';
import { AppError } from '@/lib/errors';

/**
 * A reason, then the button that confirms; ⌘ or Ctrl with Enter does the same. After a change, the button loads the
 * current object instead.
 */
export function ConfirmFooter({
  id,
  form: { reason, onReason, state, block, confirm, repeat, reload },
  precondition,
  recheckedAt,
  confirm: { label, glyph, cancel = 'Cancel' },
  confirmRef,
  onCancel,
  enabled,
}: {
  id: string;
  form: ActionFormState;
  /** What protects the write from applying to another object than the previewed one. */
  precondition: string;
  /** After a reload, the time of its dry run; null until there is one. */
  recheckedAt: string | null | undefined;
  confirm: { label: string; glyph: GlyphName; cancel?: string };
  confirmRef: React.RefObject<HTMLButtonElement | null>;
  onCancel: () => void;
  enabled: boolean;
}) {
  const isSending = state.kind === 'sending';
  // A request without an answer is resolved first, whatever has changed meanwhile.
  const isUnknown = state.kind === 'failed' && isOutcomeUnknown(state.error);
  const isOff = isSending || (!isUnknown && (block !== null || reload !== undefined));
  const press = isUnknown ? repeat : confirm;
  const isChecking = block === CHECKING && !isSending && !isUnknown;
  const [rejected, setRejected] = useState(0);
  function pressOrExplain() {
    if (!isOff) press();
    else if (!isSending) setRejected(rejected + 1);
  }
  useShortcuts({ 'mod+enter': pressOrExplain }, { layer: 'dialog', enabled });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-3 max-desk:gap-2.5 low:gap-1.5!">
      <div>
        {state.kind === 'failed' && <SendError error={state.error} />}
        <Field label="Reason">
          {(field) => (
            <Input
              {...field}
              value={reason}
              maxLength={1000}
              autoComplete="off"
              placeholder="Why? (saved with the action)"
              onChange={(event) => onReason(event.target.value)}
            />
          )}
        </Field>
      </div>
      <DialogActions
        note={
          <span id={`${id}-note`} className="inline-flex gap-[7px] desk:max-w-[56ch]">
            <Glyph
              name={block !== null && !isSending ? 'info' : recheckedAt === undefined ? 'lock' : 'check'}
              size={13}
              className="mt-[1.5px]"
            />
            <span className="[overflow-wrap:anywhere]">
              {block !== null && !isUnknown ? (
                block
              ) : recheckedAt ? (
                <>
                  Checked again at <AbsoluteTime iso={recheckedAt} form="clock" />
                </>
              ) : (
                precondition
              )}
              {rejected > 0 && isOff && !isSending && (
                <b key={rejected} role="alert" className="pl-1 font-medium text-ink">
                  {isChecking ? 'Press again when they are done.' : 'Nothing was applied.'}
                </b>
              )}
            </span>
          </span>
        }
      >
        <Button onClick={onCancel}>{cancel}</Button>
        {reload && !isUnknown ? (
          <Button tone="primary" glyph="restart" onClick={reload}>
            Review again
          </Button>
        ) : (
          <Button
            ref={confirmRef}
            tone="primary"
            glyph={glyph}
            kbd="mod+enter"
            aria-describedby={`${id}-note`}
            aria-keyshortcuts="Meta+Enter Control+Enter"
            disabledReason={isOff ? (block ?? 'The request is being sent.') : null}
            onClick={press}
          >
            {isSending ? 'Applying…' : isUnknown ? 'Retry' : isChecking ? CHECKING : label}
          </Button>
        )}
      </DialogActions>
    </div>
  );
}

/** Why a confirmed action was not accepted: the rejection with its source, or unknown. */
function SendError({ error }: { error: unknown }) {
  if (isOutcomeUnknown(error)) {
    const isOffline = error instanceof AppError && error.details.offline === true;
    return (
      <Notice tone="stale" title="No response: the change may or may not have been applied." className="mb-3">
        Retry safely: the same request is applied at most once.
        {!isOffline && ` ${errorText(error)}`}
      </Notice>
    );
  }
  const isOfCluster = error instanceof AppError && ['forbidden', 'cluster_error'].includes(error.code);
  return (
    <Notice tone="refused" title="Nothing was applied." className="mb-3">
      {isOfCluster ? <code className="text-ink">{error.message}</code> : errorText(error)}
    </Notice>
  );
}
