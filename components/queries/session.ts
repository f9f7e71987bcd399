import { queryOptions } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';

/** Who the person is in each cluster, by the API servers themselves. */
export function identityQuery() {
  return queryOptions({
    queryKey: ['identity'],
    queryFn: ({ signal }) => apiFetch('GET /api/identity', { signal }),
  });
}

/** Who is signed in, and how people sign in. */
export function sessionQuery() {
  return queryOptions({
    queryKey: ['session'],
    // The page brings it, and it is read again after a sign-in.
    staleTime: Infinity,
    queryFn: ({ signal }) => apiFetch('GET /api/session', { signal }),
  });
}
