'use client';

import { z } from 'zod/mini';
import { Button } from '@/components/ui/button';
import { EmptyState } from '@/components/ui/empty-state';
import { ErrorState } from '@/components/ui/error-state';
import { AppError } from '@/lib/errors';

const candidatesSchema = z.array(
  z.object({
    id: z.string(),
    number: z.nullish(z.number()),
    name: z.nullish(z.string()),
    createdAt: z.nullish(z.string()),
  }),
);

/** Why there is no comparison; where a number means several revisions, which of them. */
export function CompareError({
  error,
  onRetry,
  onChoose,
}: {
  error: unknown;
  onRetry: () => void;
  /** One of several candidates by id, for the reference that was ambiguous. */
  onChoose: (ref: string | null, id: string) => void;
}) {
  const candidates = candidatesOf(error);
  if (!(error instanceof AppError) || candidates.length === 0)
    return <ErrorState error={error} title="The comparison could not be made" onRetry={onRetry} />;
  const ref = typeof error.details.ref === 'string' ? error.details.ref : null;
  return (
    <EmptyState
      title="That number means more than one revision"
      glyph="unknown"
      actions={candidates.map(({ id, name, number }) => (
        <Button key={id} size="small" onClick={() => onChoose(ref, id)}>
          <span className="max-w-[24em] truncate">
            {[number, name ?? id].filter((word) => word != null).join(' · ')}
          </span>
        </Button>
      ))}
    >
      {error.message}
    </EmptyState>
  );
}

function candidatesOf(error: unknown): z.infer<typeof candidatesSchema> {
  if (!(error instanceof AppError) || error.code !== 'ambiguous') return [];
  return candidatesSchema.safeParse(error.details.candidates).data ?? [];
}
