import { AppError } from '@/lib/errors';

/** For a viewer who has signed in to other clusters only. */
export function notSignedIn(cluster: string): AppError {
  return new AppError('unauthorized', `You are not signed in to ${cluster}. Sign in with a token of it.`, {
    cluster,
  });
}
