import 'server-only';
import { AppError } from '@/lib/errors';

/** How long a page that works without the archive waits for it. */
const ARCHIVE_TIMEOUT_MS = 500;

/** What the archive answers within `timeoutMs`; rejects with AppError `archive_unavailable` otherwise. */
export async function withTimeout<Answer>(
  answer: Promise<Answer>,
  timeoutMs: number = ARCHIVE_TIMEOUT_MS,
): Promise<Answer> {
  const timeout = Promise.withResolvers<never>();
  const timer = setTimeout(() => {
    const message = `The archive did not respond within ${timeoutMs / 1_000} s. Try again in a moment.`;
    timeout.reject(new AppError('archive_unavailable', message, { retry: true }));
  }, timeoutMs);
  try {
    return await Promise.race([answer, timeout.promise]);
  } finally {
    clearTimeout(timer);
  }
}
