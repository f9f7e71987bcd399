'use client';

import { useMemo } from 'react';
import { useInfiniteQuery } from '@tanstack/react-query';
import { plainRolloutsQuery, type RolloutFilters, rolloutsQuery } from '@/components/queries/rollouts';
import { type ListedRollout } from '@/components/rollouts/rollout-rows';
import { errorText } from '@/components/ui/error-state';
import { type PartialResult } from '@/lib/api/common';
import { type RolloutList } from '@/lib/api/rollouts';

/** What the list shows of both answers. */
export interface LoadedRollouts {
  items: readonly ListedRollout[];
  partial: readonly PartialResult[];
  /** Absent where progressive rollouts could not be loaded. */
  counts: RolloutList['counts'] | undefined;
  /** Plain rollouts in progress; absent where they could not be loaded. */
  plainTotal: number | undefined;
  /** Whether the cluster serves any rollout system. */
  served: boolean;
}

/**
 * Progressive and plain rollouts as one answer. It is there once both halves have answered or failed; a half that
 * failed is a missing part of it, and an error only where the other failed too.
 */
export function useRollouts(filters: RolloutFilters, withPlain: boolean) {
  const progressive = useInfiniteQuery(rolloutsQuery(filters));
  const plain = useInfiniteQuery(
    plainRolloutsQuery(filters.namespace === undefined ? {} : { namespace: filters.namespace }),
  );
  const page = useMemo((): LoadedRollouts | undefined => {
    const isPending = [progressive, plain].some(({ data, error }) => data === undefined && error === null);
    if (isPending || (progressive.data === undefined && plain.data === undefined)) return undefined;
    const [last, lastPlain] = [progressive.data?.pages.at(-1), plain.data?.pages.at(-1)];
    return {
      items: [
        ...(progressive.data?.pages.flatMap(({ items }) => items) ?? []),
        ...((withPlain && plain.data?.pages.flatMap(({ items }) => items)) || []),
      ],
      partial: distinct([
        ...missingHalf('Progressive rollouts', progressive.data, progressive.error),
        ...missingHalf('Plain rollouts', plain.data, plain.error),
        ...(last?.partial ?? []),
        ...((withPlain && lastPlain?.partial) || []),
      ]),
      counts: last?.counts,
      plainTotal: lastPlain?.counts.total,
      served: last?.served ?? true,
    };
  }, [progressive, plain, withPlain]);
  const halves = withPlain ? [progressive, plain] : [progressive];
  return {
    data: page && { pages: [page] },
    error: page === undefined || halves.every(({ error }) => error !== null) ? firstError(halves) : null,
    isPlaceholderData: halves.some(({ isPlaceholderData }) => isPlaceholderData),
    hasNextPage: halves.some(({ hasNextPage }) => hasNextPage),
    isFetchingNextPage: halves.some(({ isFetchingNextPage }) => isFetchingNextPage),
    fetchNextPage: () =>
      Promise.all(halves.filter(({ hasNextPage }) => hasNextPage).map((half) => half.fetchNextPage())),
    refetch: () => Promise.all([progressive.refetch(), plain.refetch()]),
  };
}

function firstError(halves: readonly { error: Error | null }[]): Error | null {
  return halves.find(({ error }) => error !== null)?.error ?? null;
}

function missingHalf(name: string, data: object | undefined, error: Error | null): PartialResult[] {
  return error === null
    ? []
    : [
        {
          resource: name,
          reason: `${name} could not be ${data === undefined ? 'loaded' : 'refreshed'}. ${errorText(error)}`,
        },
      ];
}

/** Both halves read some of the same resources. */
function distinct(partial: readonly PartialResult[]): PartialResult[] {
  return [...new Map(partial.map((part) => [`${part.resource} ${part.reason}`, part])).values()];
}
