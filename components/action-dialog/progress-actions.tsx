import { recordPagePath } from '@/components/queries/records';
import { Button, ButtonLink } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';

/** The foot of a dialog that tracks an action: its record, once there is one, `children`, and Close. */
export function ProgressActions({
  ended,
  recordId,
  closeRef,
  onClose,
  children,
}: {
  ended: boolean;
  recordId: string | null;
  closeRef: React.RefObject<HTMLButtonElement | null>;
  onClose: () => void;
  children?: React.ReactNode;
}) {
  return (
    <DialogActions
      note={ended ? 'Done. You can close this dialog.' : 'You can close this dialog; the action continues.'}
    >
      {recordId !== null && <ButtonLink href={recordPagePath(recordId)}>View record</ButtonLink>}
      {children}
      <Button ref={closeRef} tone="primary" onClick={onClose}>
        Close
      </Button>
    </DialogActions>
  );
}
