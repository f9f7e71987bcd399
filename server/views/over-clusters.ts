import 'server-only';
import { AppError, messageOf } from '@/lib/errors';
import { isoTime } from '@/lib/format/time';
import type { Fleet, ViewedCluster } from '@/server/views/fleet';
import { notSignedIn } from '@/server/cluster/not-signed-in';
import type { MaskedPartial } from '@/server/views/partial';

/** What one cluster contributes to an answer over several. */
export interface ClusterAnswer<Value> {
  viewed: ViewedCluster;
  value: Value;
}

/** Lists come from caches; what takes longer waits for an API server, and the others do not wait for that. */
const BOUND_MS = 1_000;

/**
 * Reads every cluster at the same time, in bounded time: one that is away or slow is missing from `answers`, and
 * `partial` says so, as it does of one whose cache is not current. With a single cluster there is no bound, and its
 * errors are those of the answer.
 */
export async function overClusters<Value>(
  fleet: Pick<Fleet, 'clusters' | 'isSeveral' | 'keys' | 'now'>,
  read: (viewed: ViewedCluster) => Promise<Value>,
): Promise<{ answers: ClusterAnswer<Value>[]; partial: MaskedPartial[] }> {
  if (!fleet.isSeveral) {
    const [only] = fleet.clusters;
    return { answers: only === undefined ? [] : [{ viewed: only, value: await read(only) }], partial: [] };
  }
  const answers: ClusterAnswer<Value>[] = [];
  const partial: MaskedPartial[] = [];
  const settled = await Promise.all(fleet.clusters.map((viewed) => settle(viewed, read)));
  for (const { viewed, result } of settled) {
    if ('value' in result) answers.push({ viewed, value: result.value });
    const problem = problemOf(fleet, viewed, 'value' in result ? null : result.away);
    if (problem !== null) partial.push(problem);
  }
  return { answers, partial };
}

/** What is missing of a cluster, under its name; before its first lists only that these are in progress. */
export function partialOfCluster(
  { isSeveral }: Pick<Fleet, 'isSeveral'>,
  { entry, context }: ViewedCluster,
  partial: readonly MaskedPartial[],
): readonly MaskedPartial[] {
  if (!isSeveral) return partial;
  return context.cluster.ready ? partial.map((each) => ({ cluster: entry.name, ...each })) : [];
}

type Result<Value> = { value: Value } | { away: AppError };

async function settle<Value>(
  viewed: ViewedCluster,
  read: (viewed: ViewedCluster) => Promise<Value>,
): Promise<{ viewed: ViewedCluster; result: Result<Value> }> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => late.reject(new AppError('timeout', `Its API server did not answer within ${BOUND_MS / 1_000} s.`)),
    BOUND_MS,
  );
  try {
    if (viewed.viewer.credential.kind === 'none') throw notSignedIn(viewed.entry.name);
    return { viewed, result: { value: await Promise.race([read(viewed), late.promise]) } };
  } catch (error) {
    if (isAway(error)) return { viewed, result: { away: error } };
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

function isAway(error: unknown): error is AppError {
  return error instanceof AppError && ['cluster_unreachable', 'timeout', 'unauthorized'].includes(error.code);
}

/** What is missing or outdated of a cluster as a whole; null where nothing is. */
function problemOf(
  { keys, now }: Pick<Fleet, 'keys' | 'now'>,
  { entry, context: { cluster }, viewer }: ViewedCluster,
  error: AppError | null,
): MaskedPartial | null {
  const { connection, ready } = cluster;
  if (error === null && connection.state === 'connected' && ready) return null;
  const since = connection.state === 'connected' && error !== null ? now() : connection.since;
  const reason =
    error === null || connection.state !== 'connected'
      ? reasonOf(connection, viewer.isProcess)
      : messageOf(error);
  return { cluster: entry.name, reason: keys.mask.text(reason), since: isoTime(since) };
}

/** The message has addresses and programs of the process, which its own viewer alone gets. */
function reasonOf(
  { state, message }: ViewedCluster['context']['cluster']['connection'],
  isProcess: boolean,
): string {
  if (state !== 'unreachable') return 'Its first lists are in progress.';
  return isProcess && message !== null ? message : 'Shiplog cannot reach its API server.';
}
