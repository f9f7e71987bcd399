import { cutLine, toLine } from '@/lib/format/message-line';
import { formatList } from '@/lib/format/text';
import type { Blocker, PodBlock } from '@/lib/api/pods';
import type { PodSummary } from '@/lib/history/pod';

const MESSAGE_MAX = 240;

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

/** A pod that does not end is the reason only where nothing else is. */
function mostCommonBlockers(blockers: readonly Blocker[]): readonly Blocker[] {
  const others = blockers.filter(({ block }) => block.kind !== 'terminating');
  const groups = Map.groupBy(others.length > 0 ? others : blockers, ({ block }) => describeBlock(block));
  return [...groups.values()].sort((a, b) => b.length - a.length)[0] ?? [];
}

/** Without line breaks and the full stop; messages of schedulers and webhooks can be pages long. */
export function shortenMessage(message: string): string {
  const line = toLine(message);
  return line.length > MESSAGE_MAX ? cutLine(line, MESSAGE_MAX - 1) : line.replace(/\.$/, '');
}

const TERMINATING: Readonly<Record<string, string>> = {
  NodeLost: 'it is terminating on a node that does not respond',
  Finalizers: 'it is terminating, but a finalizer blocks it',
};

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
    case 'gated':
      return 'its scheduling gates are not removed';
    case 'pulling':
      return `the image of ${subject} is still being pulled`;
    case 'unschedulable':
      return 'no node fits';
    case 'volume':
      return 'its volume is not available';
    case 'readiness':
      return container === null ? 'it is running but not ready' : `${subject} is running but not ready`;
    case 'notStarted':
      return 'it has not started';
    case 'terminating':
      return TERMINATING[reason] ?? 'it is terminating, long past its grace period';
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

/** What pods that are not ready wait for, where all wait for the same. */
const WAITS: Readonly<Partial<Record<PodBlock['kind'], readonly [one: string, several: string]>>> = {
  readiness: ['is not ready yet', 'are not ready yet'],
  gated: ['waits for its scheduling gates', 'wait for their scheduling gates'],
  volume: ['waits for a volume', 'wait for a volume'],
  pulling: ['is pulling an image', 'are pulling an image'],
};

/** "ledger-db-2 is starting", "3 pods are not ready yet", of pods that may still become ready; null for none. */
export function describeStarting(starting: readonly PodSummary[]): string | null {
  const [first] = starting;
  if (first === undefined) return null;
  const kind = first.block?.kind;
  const isSame = starting.every(({ block }) => block?.kind === kind);
  const [one, several] = (isSame && kind !== undefined && WAITS[kind]) || ['is starting', 'are starting'];
  const subject =
    starting.length <= 2 ? formatList(starting.map(({ name }) => name)) : `${starting.length} pods`;
  return `${subject} ${starting.length === 1 ? one : several}`;
}
