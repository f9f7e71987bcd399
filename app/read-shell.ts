import { headers } from 'next/headers';
import type { ClusterList } from '@/lib/api/cluster';
import type { Preferences } from '@/lib/api/preferences';
import type { Session } from '@/lib/api/session';
import { withTimeout } from '@/server/archive/with-timeout';
import { senderOf, sessionOf } from '@/server/http/session-answer';
import { readPreferences } from '@/server/reviews/preferences';
import { listClusters } from '@/server/runtime/fleet';
import { runtime } from '@/server/runtime/runtime';

export interface ShellData {
  session?: Session;
  /** Absent while no one is signed in. */
  clusters?: ClusterList;
  preferences?: Preferences;
}

/**
 * What the shell shows of the viewer and the clusters, for the first paint. What is not available now is absent: the
 * browser then requests it itself, and shows the error if there is one.
 */
export async function readShell(): Promise<ShellData> {
  const request = new Request('http://localhost/', { headers: await headers() });
  try {
    const running = await runtime();
    const sender = await senderOf(running.edge.identity, request);
    const { person } = sender;
    const session = sessionOf(running, sender);
    if (person === null) return { session };
    const [clusters, preferences] = await Promise.all([
      listClusters(running, person),
      withTimeout(readPreferences(running.shared, person)).catch(() => undefined),
    ]);
    return { session, clusters, ...(preferences && { preferences }) };
  } catch {
    return {};
  }
}
