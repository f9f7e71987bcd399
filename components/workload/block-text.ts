import { cutEnd } from '@/lib/format/text';
import type { PodBlock } from '@/lib/api/pods';
import type { WorkloadDetail } from '@/lib/api/workloads';
import { isStuck } from '@/lib/pods/blockers';

type Blocker = WorkloadDetail['workload']['blockers'][number];

/** Why a pod is not ready: an explanation, and the machine output behind it. */
export interface BlockText {
  /** The container or pod of the reason, drawn as literal text. */
  subject: string;
  /** Continues the subject: "exits with code 1". */
  says: string;
  /** The machine output, truncated; null where it adds nothing. */
  quote: string | null;
}

/** Messages of the kubelet can have pages; the first lines have the reason. */
const QUOTE_LENGTH_MAX = 400;

const TERMINATING: Readonly<Record<string, string>> = {
  NodeLost: 'is terminating, and its node does not respond',
  Finalizers: 'is terminating, and a finalizer holds it:',
};

/** `pod` is named where the reason concerns the pod as a whole. */
export function describePodBlock(pod: string, block: PodBlock): BlockText {
  const container = block.container ?? pod;
  const quote = block.message === null ? null : cutEnd(block.message, QUOTE_LENGTH_MAX);
  switch (block.kind) {
    case 'crashLoop':
      return { subject: container, says: describeExit(block), quote: null };
    case 'imagePull':
      return { subject: container, says: 'cannot pull its image:', quote: quote ?? block.reason };
    case 'configError':
      return { subject: container, says: 'cannot be created:', quote: quote ?? block.reason };
    case 'unschedulable':
      return { subject: pod, says: 'fits no node:', quote: quote ?? block.reason };
    case 'gated':
      return { subject: pod, says: 'waits for its scheduling gates to be removed', quote: null };
    case 'volume':
      return { subject: pod, says: 'is waiting for a volume:', quote: quote ?? block.reason };
    case 'pulling':
      return { subject: container, says: 'is still pulling its image:', quote };
    case 'init':
      return {
        subject: container,
        says: `is an init container: it ${describeExit(block)}`,
        quote,
      };
    case 'readiness':
      // "containers with unready status: [app]" says the same.
      return {
        subject: container,
        says: 'is running but not ready',
        quote: quote?.startsWith('containers with unready status') === true ? null : quote,
      };
    case 'notStarted':
      return { subject: pod, says: 'has not started', quote };
    case 'terminating':
      return { subject: pod, says: TERMINATING[block.reason] ?? 'is terminating', quote };
    case 'failed':
      return { subject: pod, says: `failed: ${block.reason}`, quote };
    default:
      return block.kind satisfies never;
  }
}

/** Whether the pod is merely starting, for no longer than the limit. */
export function isStarting(block: PodBlock, nowMs: number): boolean {
  return block.kind !== 'crashLoop' && !isStuck(block, { now: new Date(nowMs).toISOString() });
}

/** The same for a starting pod: that its container is not ready yet needs no quote. */
export function describeStartingBlock(pod: string, block: PodBlock): BlockText {
  const text = describePodBlock(pod, block);
  return block.kind === 'readiness' ? { ...text, says: 'is not ready yet', quote: null } : text;
}

/** Those with the same reason as the first, which is the worst. */
export function withReasonOfFirst(blockers: readonly Blocker[]): readonly Blocker[] {
  const [first] = blockers;
  if (first === undefined) return [];
  return blockers.filter(
    ({ block }) => block.kind === first.block.kind && block.container === first.block.container,
  );
}

/** "restarted 9 times", "restarted 9 to 11 times per pod"; empty where there were none. */
export function restartsText(blockers: readonly Blocker[]): string {
  const counts = blockers.map(({ block }) => block.restarts);
  const least = Math.min(...counts);
  const most = Math.max(...counts);
  if (most <= 0 || counts.length === 0) return '';
  const range = least === most ? String(most) : `${least} to ${most}`;
  return `restarted ${most === 1 ? 'once' : `${range} times`}${counts.length > 1 ? ' per pod' : ''}`;
}

/** The sentence without the machine output, which the line below shows verbatim. */
export function withoutQuote(sentence: string, blockers: readonly Blocker[]): string {
  return blockers.reduce((text, { block }) => {
    return block.message === null ? text : text.replace(` (${block.message})`, '');
  }, sentence);
}

/** Whether the container ran at all, so that there are logs. */
export function hasLogs(block: PodBlock): boolean {
  return ['crashLoop', 'init', 'readiness', 'failed'].includes(block.kind);
}

function describeExit({ lastTermination, reason }: PodBlock): string {
  if (lastTermination === null) return `keeps exiting (${reason})`;
  if (lastTermination.reason === 'OOMKilled') return 'exceeds its memory limit (OOMKilled)';
  if (lastTermination.exitCode === null) return `exited: ${lastTermination.reason ?? reason}`;
  const named = lastTermination.reason !== null && !['Error', 'Completed'].includes(lastTermination.reason);
  return `exits with code ${lastTermination.exitCode}${named ? ` (${lastTermination.reason})` : ''}`;
}
