'use client';

import { useState } from 'react';
import {
  type DehydratedState,
  HydrationBoundary,
  keepPreviousData,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { NuqsAdapter } from 'nuqs/adapters/next/app';
import { getConnection, isStale } from '@/components/ui/connection';
import { TimeOrigin } from '@/components/ui/time';
import { AppError } from '@/lib/errors';
import { type TimeFrame } from '@/lib/format/time';

const RETRIES_MAX = 2;

/** What every page needs: queries that the stream keeps fresh, state in the URL, and one notion of now. */
export function Providers({
  frame,
  shellState,
  children,
}: {
  frame: TimeFrame;
  shellState: DehydratedState | undefined;
  children: React.ReactNode;
}) {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      <HydrationBoundary state={shellState}>
        <NuqsAdapter>
          <TimeOrigin frame={frame}>{children}</TimeOrigin>
        </NuqsAdapter>
      </HydrationBoundary>
    </QueryClientProvider>
  );
}

function createQueryClient(): QueryClient {
  const client = new QueryClient({
    defaultOptions: {
      queries: {
        // Without a network they fail at once and say so, instead of waiting for it behind a skeleton.
        networkMode: 'always',
        // The stream says when something changed; without it nothing is known to be fresh.
        staleTime: () => (getConnection().link === 'live' && !isStale(getConnection()) ? Infinity : 0),
        refetchOnWindowFocus: false,
        retry: (failures, error) => failures < RETRIES_MAX && mayPass(error),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  // Only lists: the page of another workload must never show, even for a moment, the one before.
  client.setQueryDefaults(['workloads'], { placeholderData: keepPreviousData });
  return client;
}

/** Whether asking again can help: not after a refusal, a mistake of ours or a thing that is not there. */
function mayPass(error: unknown): boolean {
  return error instanceof AppError && ['cluster_unreachable', 'timeout', 'rate_limited'].includes(error.code);
}
