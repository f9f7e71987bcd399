import { ListSkeleton } from '@/components/rollback/changed-notice';
import { Dialog, DialogSection } from '@/components/ui/dialog';
import { ErrorState } from '@/components/ui/error-state';

/** Placeholder of a dialog until its data has loaded. */
export function FormLoading({
  view,
  rows = 3,
  ...dialog
}: Pick<React.ComponentProps<typeof Dialog>, 'open' | 'onOpenChange' | 'size' | 'title' | 'subtitle'> & {
  view: { error: unknown; refresh: () => void };
  rows?: number;
}) {
  return (
    <Dialog {...dialog}>
      <DialogSection>
        {view.error ? (
          <ErrorState error={view.error} onRetry={view.refresh} boxed={false} />
        ) : (
          <ListSkeleton rows={rows} />
        )}
      </DialogSection>
    </Dialog>
  );
}
