'use client';

import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { AppError } from '@/lib/errors';

interface Candidate {
  id: string;
  number: number;
  name: string;
}

/** Why there is no comparison. Lists the candidates where a number is ambiguous or was renumbered. */
export function CompareError({
  error,
  onRetry,
  onReplace,
}: {
  error: unknown;
  onRetry: () => void;
  /** Replaces a reference with the revision of this id. */
  onReplace: (ref: string, id: string) => void;
}) {
  if (error instanceof AppError && error.code === 'ambiguous') {
    const { candidates } = error.details;
    if (Array.isArray(candidates) && candidates.length > 0) {
      return (
        <EmptyState
          title="That number means more than one revision"
          glyph="unknown"
          heading="h1"
          actions={(candidates as Candidate[]).map(({ id, name, number }) => (
            <Button key={id} size="small" onClick={() => onReplace(String(number), id)}>
              <span className="max-w-[24em] truncate">{`${number} · ${name}`}</span>
            </Button>
          ))}
        >
          {error.message}
        </EmptyState>
      );
    }
  }
  if (error instanceof AppError && error.code === 'not_found') {
    const { revision, became, number } = error.details;
    // The revision that a former number now refers to.
    if (typeof revision === 'string' && typeof became === 'string') {
      return (
        <EmptyState
          title="That revision has another number now"
          glyph="unknown"
          heading="h1"
          actions={
            <Button size="small" onClick={() => onReplace(revision, became)}>
              {typeof number === 'number' ? `Compare revision ${number}` : 'Compare what it became'}
            </Button>
          }
        >
          {error.message}
        </EmptyState>
      );
    }
  }
  return <ErrorState error={error} title="The comparison could not be made" heading="h1" onRetry={onRetry} />;
}
