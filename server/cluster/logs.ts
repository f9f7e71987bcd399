import 'server-only';
import { pathTo } from '@/server/cluster/request-guard';
import type { Cluster } from '@/server/cluster/cluster';
import type { Viewer } from '@/server/shared/viewer';

interface LogTailOptions {
  /** The container before its last restart. */
  readonly previous: boolean;
  readonly lines: number;
  readonly maxBytes: number;
}

interface PodLogTail {
  readonly lines: readonly string[];
  /** Whether earlier text was left out to remain within `maxBytes`. */
  readonly truncated: boolean;
}

/** Cuts a runaway line at the source. */
const FETCH_BYTES_MAX = 1024 * 1024;
const TIMEOUT_MS = 10_000;

/**
 * The last lines of a container's log, read as the viewer. They are untrusted output of the program in the
 * container.
 * https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/#get-read-log-of-the-specified-pod
 */
export async function podLogTail(
  cluster: Pick<Cluster, 'transportFor'>,
  viewer: Viewer,
  namespace: string,
  pod: string,
  container: string,
  { previous, lines, maxBytes }: LogTailOptions,
): Promise<PodLogTail> {
  const text = await cluster.transportFor(viewer).text({
    method: 'GET',
    path: pathTo('api', 'v1', 'namespaces', namespace, 'pods', pod, 'log'),
    query: {
      container: container === '' ? undefined : container,
      previous: previous ? 'true' : undefined,
      tailLines: lines.toString(),
      limitBytes: FETCH_BYTES_MAX.toString(),
    },
    timeoutMs: TIMEOUT_MS,
    maxBytes: FETCH_BYTES_MAX * 2,
  });
  return lastLines(text, maxBytes);
}

/** The end of the text, from the beginning of a line where one fits, else of a character. */
function lastLines(text: string, maxBytes: number): PodLogTail {
  const bytes = Buffer.from(text, 'utf8');
  const truncated = bytes.length > maxBytes;
  const tail = truncated ? bytes.subarray(startOfTail(bytes, bytes.length - maxBytes)) : bytes;
  const lines = tail.toString('utf8').split(/\r?\n/);
  return { lines: lines.at(-1) === '' ? lines.slice(0, -1) : lines, truncated };
}

function startOfTail(bytes: Buffer, earliest: number): number {
  const line = bytes.indexOf(0x0a, earliest) + 1;
  if (line > 0 && line < bytes.length) return line;
  let start = earliest;
  // Bytes of the form 10xxxxxx continue a character.
  while (((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return start;
}
