import 'server-only';
import { AppError } from '@/lib/errors';

/** How long a page that lives without the archive waits for it. */
export const ARCHIVE_PATIENCE_MS = 500;

/** What the archive answers within `patienceMs`; rejects with AppError `archive_unavailable` otherwise. */
export async function inTime<Answer>(
  answer: Promise<Answer>,
  patienceMs: number = ARCHIVE_PATIENCE_MS,
): Promise<Answer> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The archive has not answered within ${patienceMs / 1_000} s. Try again in a moment.`;
    late.reject(new AppError('archive_unavailable', message, { retry: true }));
  }, patienceMs);
  try {
    return await Promise.race([answer, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
