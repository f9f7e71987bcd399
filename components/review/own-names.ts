import { useQuery } from '@tanstack/react-query';
import { useClusters } from '@/components/queries/cluster';
import { sessionQuery } from '@/components/queries/session';

/**
 * The names by which the viewer may be assigned: that of the session, and that of each cluster. Empty where everyone
 * views as one.
 */
export function useOwnNames(): ReadonlySet<string> {
  const { data: session } = useQuery(sessionQuery());
  const { list } = useClusters();
  if (session?.viewer == null || session.mode === 'anonymous') return new Set();
  const inClusters = list?.items.map(({ viewer }) => viewer.name) ?? [];
  return new Set([session.viewer.name, ...inClusters].map(foldName));
}

/** People type names of assignees by hand. */
export function foldName(name: string): string {
  return name.trim().toLowerCase();
}
