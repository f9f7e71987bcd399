import { cutLine, toLine } from '@/lib/format/message-line';
import { isActive } from '@/lib/history/assemble';
import type { RevisionHistory } from '@/lib/history/revision';
import { isPersistentBlock } from '@/lib/workloads/pod-block';
import type { PodSummary } from '@/lib/history/pod';
import type { PodBlock, Blocker } from '@/lib/api/pods';
import { formatList } from '@/lib/format/text';

const BLOCKERS_MAX = 10;
const MESSAGE_MAX = 240;

/** The current time, RFC 3339; without it a pod that is merely slow is never reported as stuck. */
export interface TimeInput {
  now?: string;
}

/** The default progress deadline of a Deployment: the other kinds have no deadline of their own. */
const STUCK_AFTER_MS = 600_000;

/** Whether the block is evidence, or has lasted {@link STUCK_AFTER_MS}. */
export function isStuck(block: PodBlock, now: string | undefined): boolean {
  if (isPersistentBlock(block)) return true;
  if (now === undefined || block.since === null) return false;
  return Date.parse(now) - Date.parse(block.since) >= STUCK_AFTER_MS;
}

/**
 * The pods that block the rollout, worst first: those with evidence before those that are merely not ready,
 * the target's before others', then by restarts and age. `proven` leaves out the ones without evidence.
 */
export function blockersOf(
  history: RevisionHistory,
  pods: readonly PodSummary[],
  { proven, now }: TimeInput & { proven: boolean },
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

/** The reason that most of the blockers share, as a phrase: "app exits with code 1, restarted 9 to 11 times per pod". */
export function describeReason(blockers: readonly Blocker[]): string {
  const group = mostCommonBlockers(blockers);
  const reason = group[0] === undefined ? '' : describeBlock(group[0].block);
  const restarts = group.map(({ block }) => block.restarts).filter((number) => number > 0);
  if (restarts.length === 0) return reason;
  const [least, most] = [Math.min(...restarts), Math.max(...restarts)];
  if (group.length === 1) return `${reason}, ${restartedText(String(most), most)}`;
  return least === most
    ? `${reason}, ${restartedText(String(most), most)} per pod`
    : `${reason}, ${restartedText(`${least} to ${most}`, most)} per pod`;
}

/** "restarted once", "restarted 9 to 11 times". */
function restartedText(range: string, most: number): string {
  return most === 1 ? 'restarted once' : `restarted ${range} times`;
}

/** The same with the API's message about the first of them, for a full sentence. */
export function describeReasonInFull(blockers: readonly Blocker[]): string {
  const block = mostCommonBlockers(blockers)[0]?.block;
  // About a crash loop the API only reports the delay before the next attempt.
  const message = block?.reason === 'CrashLoopBackOff' ? null : block?.message;
  const reason = describeReason(blockers);
  return message == null || message === '' ? reason : `${reason} (${shortenMessage(message)})`;
}

function mostCommonBlockers(blockers: readonly Blocker[]): readonly Blocker[] {
  const groups = Map.groupBy(blockers, ({ block }) => describeBlock(block));
  return [...groups.values()].sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Without line breaks and the full stop; messages of schedulers and webhooks can be pages long. */
export function shortenMessage(message: string): string {
  const line = toLine(message);
  return line.length > MESSAGE_MAX ? cutLine(line, MESSAGE_MAX - 1) : line.replace(/\.$/, '');
}

/** What blocks one pod, as a phrase, without its name and without messages of others. */
export function describeBlock({ kind, container, reason, lastTermination }: PodBlock): string {
  const subject = container ?? 'a container';
  switch (kind) {
    case 'imagePull':
      return `the image of ${subject} cannot be pulled`;
    case 'crashLoop':
      return lastTermination === null ? `${subject} keeps exiting` : describeExit(subject, lastTermination);
    case 'init':
      return lastTermination === null
        ? `init container ${subject} has not finished`
        : describeExit(`init container ${subject}`, lastTermination);
    case 'configError':
      return `${subject} cannot be created: ${reason}`;
    case 'unschedulable':
      return 'no node fits';
    case 'volume':
      return 'its volume is not available';
    case 'readiness':
      return container === null ? 'it is running but not ready' : `${subject} is running but not ready`;
    case 'notStarted':
      return 'it has not started';
    case 'terminating':
      return reason === 'NodeLost'
        ? 'it is terminating on a node that does not respond'
        : 'it is terminating, but a finalizer blocks it';
    case 'failed':
      return `it failed: ${reason}`;
  }
}

function describeExit(
  subject: string,
  { reason, exitCode }: NonNullable<PodBlock['lastTermination']>,
): string {
  if (reason === 'OOMKilled') return `${subject} exceeds its memory limit (OOMKilled)`;
  return exitCode === null ? `${subject} keeps exiting` : `${subject} exits with code ${exitCode}`;
}

/** The start of the longest block, where evidence exists for all of them. */
export function blockedSince(blockers: readonly Blocker[]): string | null {
  const times = blockers.map(({ block }) => block.since).filter((since) => since !== null);
  return times.sort()[0] ?? null;
}

/** Active pods that are not ready and have no known reason. */
function startingPods(pods: readonly PodSummary[], now?: string): PodSummary[] {
  return pods.filter(
    (pod) => isActive(pod) && !pod.ready && (pod.block === null || !isStuck(pod.block, now)),
  );
}

/** "ledger-db-2 is starting", "3 pods are not ready yet"; null for none. */
export function describeStarting(pods: readonly PodSummary[], now?: string): string | null {
  const starting = startingPods(pods, now);
  if (starting.length === 0) return null;
  const isRunning = starting.every(({ block }) => block?.kind === 'readiness');
  const subject =
    starting.length <= 2 ? formatList(starting.map(({ name }) => name)) : `${starting.length} pods`;
  return `${subject} ${starting.length === 1 ? 'is' : 'are'} ${isRunning ? 'not ready yet' : 'starting'}`;
}
