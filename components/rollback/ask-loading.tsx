import { ListSkeleton } from '@/components/rollback/changed-band';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState } from '@/components/ui/error-state';

/** A dialog that asks, until what it asks about is there. */
export function AskLoading({
  looking,
  rows = 3,
  ...dialog
}: Pick<React.ComponentProps<typeof Dialog>, 'open' | 'onOpenChange' | 'size' | 'title' | 'subtitle'> & {
  looking: { error: unknown; refresh: () => void };
  rows?: number;
}) {
  return (
    <Dialog {...dialog}>
      <DialogSection>
        {looking.error ? (
          <ErrorState error={looking.error} onRetry={looking.refresh} boxed={false} />
        ) : (
          <ListSkeleton rows={rows} />
        )}
      </DialogSection>
    </Dialog>
  );
}
