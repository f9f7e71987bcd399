'use client';

import { useState } from 'react';
import { CHECKING } from '@/components/rollback/confirm-blocked-reason';
import { SendError } from '@/components/rollback/send-error';
import { isOutcomeUnknown, type SendState } from '@/components/rollback/use-send';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { Glyph, type GlyphName } from '@/components/ui/glyph';
import { Field, Input } from '@/components/ui/input';
import { useShortcuts } from '@/components/ui/shortcuts';

/**
 * A reason, then the button that confirms; ⌘ or Ctrl with Enter does the same. After a change, the button loads the
 * current workload instead.
 */
export function ConfirmFooter({
  id,
  reason,
  onReason,
  state,
  onRepeat,
  block,
  note,
  noteGlyph = 'lock',
  confirm,
  onConfirm,
  cancel = 'Cancel',
  onCancel,
  onReload,
  confirmRef,
  enabled,
}: {
  id: string;
  reason: string;
  onReason: (reason: string) => void;
  state: SendState;
  onRepeat: () => void;
  /** Why confirming is disabled; null when it is enabled. */
  block: string | null;
  note: React.ReactNode;
  noteGlyph?: GlyphName;
  confirm: { label: string; glyph: GlyphName };
  onConfirm: () => void;
  cancel?: string;
  onCancel: () => void;
  /** Present while the preview differs from the current state. */
  onReload?: () => void;
  confirmRef: React.RefObject<HTMLButtonElement | null>;
  enabled: boolean;
}) {
  const isSending = state.kind === 'sending';
  // A request without an answer is resolved first, whatever has changed meanwhile.
  const isUnknown = state.kind === 'failed' && isOutcomeUnknown(state.error);
  const isOff = isSending || (!isUnknown && (block !== null || onReload !== undefined));
  const press = isUnknown ? onRepeat : onConfirm;
  const isChecking = block === CHECKING && !isSending && !isUnknown;
  const [refused, setRefused] = useState(0);
  function pressOrExplain() {
    if (!isOff) press();
    else if (!isSending) setRefused(refused + 1);
  }
  useShortcuts({ 'mod+enter': pressOrExplain }, { layer: 'dialog', enabled });
  return (
    <div className="grid gap-3 max-desk:gap-2.5">
      <div>
        <SendError state={state} />
        <Field label="Reason">
          {(field) => (
            <Input
              {...field}
              value={reason}
              maxLength={1000}
              autoComplete="off"
              placeholder="One line for the record"
              onChange={(event) => onReason(event.target.value)}
            />
          )}
        </Field>
      </div>
      <DialogActions
        note={
          <span id={`${id}-note`} className="inline-flex gap-[7px] desk:max-w-[56ch]">
            <Glyph
              name={block !== null && !isSending ? 'info' : noteGlyph}
              size={13}
              className="mt-[1.5px]"
            />
            <span className="[overflow-wrap:anywhere]">
              {isUnknown ? note : (block ?? note)}
              {refused > 0 && isOff && !isSending && (
                <b key={refused} role="alert" className="pl-1 font-medium text-ink">
                  {isChecking ? 'Press again when they are done.' : 'Nothing was sent.'}
                </b>
              )}
            </span>
          </span>
        }
      >
        <Button onClick={onCancel}>{cancel}</Button>
        {onReload && !isUnknown ? (
          <Button tone="primary" glyph="restart" onClick={onReload}>
            Look again
          </Button>
        ) : (
          <Button
            ref={confirmRef}
            tone="primary"
            glyph={confirm.glyph}
            kbd="⌘↵"
            aria-describedby={`${id}-note`}
            aria-keyshortcuts="Meta+Enter Control+Enter"
            disabled={isOff}
            disabledReason={block ?? 'It is being sent.'}
            onClick={press}
          >
            {isSending ? 'Writing…' : isUnknown ? 'Send it again' : isChecking ? CHECKING : confirm.label}
          </Button>
        )}
      </DialogActions>
    </div>
  );
}
