import { isActive } from '@/lib/history/assemble';
import { type History } from '@/lib/history/revision';
import { isProof } from '@/lib/workloads/block';
import { type PodBlock, type PodSummary } from '@/lib/workloads/pod';
import { type Blocker } from '@/lib/workloads/status';
import { count, listed } from '@/lib/workloads/words';

const BLOCKERS_MAX = 10;
const MESSAGE_MAX = 240;

/** The present time, RFC 3339, where the caller gives it; without it a pod that is merely slow is never called stuck. */
export interface Clocked {
  now?: string;
}

/** As long as the default progress deadline of a Deployment: the other kinds have no deadline of their own. */
const PATIENCE_MS = 600_000;

/** Whether the block is evidence, or has lasted beyond patience. */
export function isStuck(block: PodBlock, now: string | undefined): boolean {
  if (isProof(block)) return true;
  if (now === undefined || block.since === null) return false;
  return Date.parse(now) - Date.parse(block.since) >= PATIENCE_MS;
}

/**
 * The pods that stand in the way, worst first: those with evidence before those that are merely not ready, the target's
 * before others', then by restarts and age. `proven` leaves out the ones without evidence.
 */
export function blockersOf(
  history: History,
  pods: readonly PodSummary[],
  { proven, now }: Clocked & { proven: boolean },
): Blocker[] {
  const rank = (pod: PodSummary, block: PodBlock) =>
    (isStuck(block, now) ? 0 : 2) + (history.revisionOfPod.get(pod.uid)?.target === true ? 0 : 1);
  return pods
    .flatMap((pod) =>
      pod.block === null || (proven && !isStuck(pod.block, now)) ? [] : [{ pod, block: pod.block }],
    )
    .sort(
      (a, b) =>
        rank(a.pod, a.block) - rank(b.pod, b.block) ||
        b.block.restarts - a.block.restarts ||
        (a.pod.name < b.pod.name ? -1 : 1),
    )
    .slice(0, BLOCKERS_MAX)
    .map(({ pod, block }) => ({
      pod: pod.name,
      podUid: pod.uid,
      revision: history.revisionOfPod.get(pod.uid)?.number ?? null,
      block,
    }));
}

/** The reason that most of the blockers share, in a few words: "app exits with code 1, 9 to 11 restarts each". */
export function reasonOf(blockers: readonly Blocker[]): string {
  const group = likeliest(blockers);
  const reason = group[0] === undefined ? '' : describeBlock(group[0].block);
  const restarts = group.map(({ block }) => block.restarts).filter((number) => number > 0);
  if (restarts.length === 0) return reason;
  const [least, most] = [Math.min(...restarts), Math.max(...restarts)];
  if (group.length === 1) return `${reason}, ${count(most, 'restart')}`;
  return least === most
    ? `${reason}, ${count(most, 'restart')} each`
    : `${reason}, ${least} to ${most} restarts each`;
}

/** The same with what the API says of the first of them, for a full sentence. */
export function reasonInFull(blockers: readonly Blocker[]): string {
  const block = likeliest(blockers)[0]?.block;
  // Of a crash loop the API says only how long it waits before the next try.
  const message = block?.reason === 'CrashLoopBackOff' ? null : block?.message;
  const reason = reasonOf(blockers);
  return message == null || message === '' ? reason : `${reason} (${shortened(message)})`;
}

function likeliest(blockers: readonly Blocker[]): readonly Blocker[] {
  const groups = Map.groupBy(blockers, ({ block }) => describeBlock(block));
  return [...groups.values()].sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Without line breaks and the full stop; messages of schedulers and webhooks can be pages long. */
export function shortened(message: string): string {
  const line = message.replace(/\s+/g, ' ').trim();
  return line.length > MESSAGE_MAX ? `${line.slice(0, MESSAGE_MAX - 1)}…` : line.replace(/\.$/, '');
}

/** What blocks one pod, in a few words, without its name and without what others wrote. */
export function describeBlock({ kind, container, reason, lastTermination }: PodBlock): string {
  const who = container ?? 'a container';
  switch (kind) {
    case 'imagePull':
      return `the image of ${who} cannot be pulled`;
    case 'crashLoop':
      return lastTermination === null ? `${who} ends again and again` : ending(who, lastTermination);
    case 'init':
      return lastTermination === null
        ? `init container ${who} has not finished`
        : ending(`init container ${who}`, lastTermination);
    case 'configError':
      return `${who} cannot be created: ${reason}`;
    case 'unschedulable':
      return 'no node takes it';
    case 'volume':
      return 'its volume is not there';
    case 'readiness':
      return container === null ? 'it runs but is not ready' : `${who} runs but is not ready`;
    case 'notStarted':
      return 'it has not started';
    case 'terminating':
      return reason === 'NodeLost'
        ? 'it ends on a node that does not answer'
        : 'it ends, but a finalizer holds it';
    case 'failed':
      return `it failed: ${reason}`;
  }
}

function ending(who: string, { reason, exitCode }: NonNullable<PodBlock['lastTermination']>): string {
  if (reason === 'OOMKilled') return `${who} runs out of memory`;
  return exitCode === null ? `${who} ends again and again` : `${who} exits with code ${exitCode}`;
}

/** Since when the longest of them has been blocked, where all of them prove it. */
export function blockedSince(blockers: readonly Blocker[]): string | null {
  const times = blockers.map(({ block }) => block.since).filter((since) => since !== null);
  return times.sort()[0] ?? null;
}

/** Active pods that are not ready and of which nothing says why. */
export function startingPods(pods: readonly PodSummary[], now?: string): PodSummary[] {
  return pods.filter(
    (pod) => isActive(pod) && !pod.ready && (pod.block === null || !isStuck(pod.block, now)),
  );
}

/** "ledger-db-2 is starting", "3 pods are not ready yet"; null for none. */
export function describeStarting(pods: readonly PodSummary[], now?: string): string | null {
  const starting = startingPods(pods, now);
  if (starting.length === 0) return null;
  const isRunning = starting.every(({ block }) => block?.kind === 'readiness');
  const subject = starting.length <= 2 ? listed(starting.map(({ name }) => name)) : `${starting.length} pods`;
  return `${subject} ${starting.length === 1 ? 'is' : 'are'} ${isRunning ? 'not ready yet' : 'starting'}`;
}
