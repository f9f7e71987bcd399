'use client';

import { useState } from 'react';
import {
  keepPreviousData,
  MutationCache,
  QueryCache,
  QueryClient,
  QueryClientProvider,
} from '@tanstack/react-query';
import { AddressAdapter } from '@/components/ui/address-adapter';
import { getConnection, isStale } from '@/components/ui/connection';
import { noteFailure } from '@/components/shell/session';
import { TimeOrigin } from '@/components/ui/time';
import { clustersQuery, rememberClusters } from '@/components/queries/cluster';
import { preferencesQuery } from '@/components/queries/preferences';
import { sessionQuery } from '@/components/queries/session';
import type { ShellData } from '@/app/read-shell';
import type { PartialResult } from '@/lib/api/common';
import { AppError } from '@/lib/errors';
import type { TimeFrame } from '@/lib/format/time';

const RETRIES_MAX = 2;
const CHECKING_INTERVAL_MS = 2_000;

/** Context of every page: queries that the stream refreshes, state in the URL, and one clock. */
export function Providers({
  frame,
  shell,
  children,
}: {
  frame: TimeFrame;
  shell: ShellData;
  children: React.ReactNode;
}) {
  const [client] = useState(() => createQueryClient(shell));
  return (
    <QueryClientProvider client={client}>
      <AddressAdapter>
        <TimeOrigin frame={frame}>{children}</TimeOrigin>
      </AddressAdapter>
    </QueryClientProvider>
  );
}

function createQueryClient({ session, clusters, preferences }: ShellData): QueryClient {
  const client = new QueryClient({
    queryCache: new QueryCache({ onError: noteFailure }),
    mutationCache: new MutationCache({ onError: noteFailure }),
    defaultOptions: {
      queries: {
        // Without a network they fail at once with an error, instead of waiting for it behind a skeleton.
        networkMode: 'always',
        // The stream reports changes; without it the age of an answer is unknown.
        staleTime: () => (getConnection().link === 'live' && !isStale(getConnection()) ? Infinity : 0),
        refetchOnWindowFocus: false,
        refetchInterval: ({ state: { data } }) => (isStillChecking(data) ? CHECKING_INTERVAL_MS : false),
        retry: (failures, error) => failures < RETRIES_MAX && isTransient(error),
      },
      mutations: { retry: false, networkMode: 'always' },
    },
  });
  // Only lists: the page of a workload must never show another one, even for a moment.
  client.setQueryDefaults(['workloads'], { placeholderData: keepPreviousData });
  client.setQueryData(sessionQuery().queryKey, session);
  client.setQueryData(preferencesQuery().queryKey, preferences);
  client.setQueryData(clustersQuery().queryKey, clusters && rememberClusters(clusters));
  return client;
}

/** Whether the permissions in many namespaces are being checked: the answer has more in a moment. */
function isStillChecking(data: unknown): boolean {
  const partial = (data as { partial?: readonly PartialResult[] } | undefined)?.partial;
  return Array.isArray(partial) && partial.some(({ checked }: PartialResult) => checked !== undefined);
}

/** Whether a retry can help: not after a refusal, an invalid request or for a missing object. */
function isTransient(error: unknown): boolean {
  return error instanceof AppError && ['cluster_unreachable', 'timeout', 'rate_limited'].includes(error.code);
}
