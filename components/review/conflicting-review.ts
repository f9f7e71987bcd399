import type { ReviewItem } from '@/lib/api/review';
import { AppError } from '@/lib/errors';

/** The review of another reviewer who saved first, where that is why a verdict was not saved. */
export function conflictingReview(error: unknown): ReviewItem | null {
  if (!(error instanceof AppError) || error.code !== 'conflict') return null;
  return isReview(error.details.review) ? error.details.review : null;
}

function isReview(value: unknown): value is ReviewItem {
  return typeof value === 'object' && value !== null && 'version' in value;
}
