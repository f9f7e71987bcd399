import { useQuery } from '@tanstack/react-query';
import { apiFetch } from '@/components/queries/client';
import { recordsKey } from '@/components/queries/records';
import { rolloutsKey } from '@/components/queries/rollouts';
import type { RecordItem } from '@/lib/api/records';
import type { RolloutItem } from '@/lib/api/rollouts';
import type { WorkloadItem } from '@/lib/api/workloads';
import { matchRank, splitWords } from '@/lib/view/match-rank';

/** As many of each as leave room for the others. */
const ROLLOUTS_MAX = 5;
const RECORDS_MAX = 3;
/** Fewer letters match nearly every record. */
const RECORD_LETTERS_MIN = 3;

/** Where no rollout system is served, the empty list is cached while the palette is open. */
export function useFoundRollouts(words: string): readonly RolloutItem[] {
  const { data } = useQuery({
    queryKey: [...rolloutsKey, 'palette'],
    queryFn: ({ signal }) => apiFetch('GET /api/rollouts', { query: { limit: 200 }, signal }),
    enabled: words !== '',
  });
  if (words === '') return [];
  return (data?.items ?? [])
    .flatMap((rollout) => {
      const rank = matchRank(splitWords(words), rollout.name, [rollout.namespace, 'rollout']);
      return rank === null ? [] : [{ rollout, rank }];
    })
    .toSorted((a, b) => a.rank - b.rank)
    .slice(0, ROLLOUTS_MAX)
    .map(({ rollout }) => rollout);
}

/** Records whose workload, image, people, cause or changes have these words. */
export function useFoundRecords(words: string): readonly RecordItem[] {
  const { data } = useQuery({
    queryKey: [...recordsKey, 'palette', words],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/records', { query: { q: words, limit: RECORDS_MAX }, signal }),
    enabled: words.length >= RECORD_LETTERS_MIN,
  });
  return words === '' ? [] : (data?.items ?? []);
}

/** What needs attention, the latest change first. */
export function useFailing(enabled: boolean): readonly WorkloadItem[] {
  const { data } = useQuery({
    queryKey: ['workloads', 'palette', 'failing'],
    queryFn: ({ signal }) =>
      apiFetch('GET /api/workloads', {
        query: { state: 'stuck,deadlineExceeded,failed,degraded', limit: ROLLOUTS_MAX },
        signal,
      }),
    enabled,
  });
  return enabled ? (data?.items ?? []) : [];
}
