import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';

/** Who is signed in, and how people sign in. */
export function sessionQuery() {
  return queryOptions({
    queryKey: ['session'],
    // The page brings it, and it is read again after a sign-in.
    staleTime: Infinity,
    queryFn: ({ signal }) => apiFetch('GET /api/session', { signal }),
  });
}
