import { AppError } from '@/lib/errors';

/** The error with which the work fails; throws where it succeeds or fails with another one. */
export async function failureOf(work: Promise<unknown>): Promise<AppError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof AppError) return error;
  throw new Error('Expected an AppError.', { cause: error });
}
