import { headers } from 'next/headers';
import { type ClusterList } from '@/lib/api/cluster';
import { type Session } from '@/lib/api/session';
import { senderOf, sessionOf } from '@/server/http/session-answer';
import { listClusters } from '@/server/runtime/fleet';
import { runtime } from '@/server/runtime/runtime';

export interface ShellData {
  session?: Session;
  /** Absent while no one is signed in. */
  clusters?: ClusterList;
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
    return person === null ? { session } : { session, clusters: await listClusters(running, person) };
  } catch {
    return {};
  }
}
