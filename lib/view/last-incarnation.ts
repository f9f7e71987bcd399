import { AppError } from '@/lib/errors';

/** The uid of the last incarnation of a deleted workload, from the API's error; null where there was none. */
export function lastIncarnationUid(error: unknown): string | null {
  if (!(error instanceof AppError) || error.code !== 'not_found') return null;
  const { incarnations } = error.details;
  const last: unknown = Array.isArray(incarnations) ? incarnations[0] : undefined;
  if (typeof last !== 'object' || last === null || !('uid' in last)) return null;
  return typeof last.uid === 'string' ? last.uid : null;
}
