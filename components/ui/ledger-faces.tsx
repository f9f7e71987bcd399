import { EmptyState, FirstRevisionPicture } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { TextLink } from '@/components/ui/link';
import { AppError } from '@/lib/errors';

/** The face of a page that reads the archive and can't: nothing is recorded, and why; or what else went wrong. */
export function ArchiveError({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (!(error instanceof AppError) || error.code !== 'archive_unavailable') {
    return <ErrorState error={error} onRetry={onRetry} className="mt-4" />;
  }
  return <ErrorState error={error} title="The ledger can't be read" onRetry={onRetry} className="mt-4" />;
}

/** The archive has no rollout yet that the viewer may see. */
export function NothingRecorded() {
  return (
    <EmptyState title="Nothing has been recorded yet" picture={<FirstRevisionPicture />} className="mt-4">
      Each rollout of the <TextLink href="/">fleet</TextLink> is kept here for good from the moment it begins,
      with its steps, its pods and what was said about it.
    </EmptyState>
  );
}
