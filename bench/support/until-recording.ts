import type { Shiplog } from '@/e2e/support/shiplog';
import type { ClusterList } from '@/lib/api/cluster';

const POLL_MS = 500;
const TIMEOUT_MS = 600_000;

/**
 * Resolves when every cluster has been read, and the archive has all of its revisions: the first time that keeps the
 * processor busy for a while. `headers` sign in where the local key does not.
 */
export async function untilRecording(server: Shiplog, headers: Record<string, string> = {}): Promise<void> {
  const end = performance.now() + TIMEOUT_MS;
  for (;;) {
    const { items } = (await (await server.fetch('/api/clusters', { headers })).json()) as ClusterList;
    if (items.every(({ ready, recorder }) => ready && recorder.state === 'recording')) return;
    if (performance.now() > end) throw new Error(`Not recording: ${JSON.stringify(items)}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
