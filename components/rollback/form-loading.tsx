import { ListSkeleton } from '@/components/rollback/changed-notice';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState } from '@/components/ui/error-state';

/** Placeholder of a dialog until its data has loaded. */
export function FormLoading({
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
