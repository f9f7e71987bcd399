import { type WorkloadDetail } from '@/lib/api/workloads';
import { isStuck } from '@/lib/workloads/blockers';

type Blocker = WorkloadDetail['workload']['blockers'][number];
export type PodBlock = Blocker['block'];

/** Why a pod is not ready: what is meant, in words, and what the machine said about it. */
export interface BlockWords {
  /** The container or pod that it is about, to be set as literal text. */
  subject: string;
  /** Follows the subject: "exits with code 1". */
  says: string;
  /** The machine's own words, bounded; null where they add nothing. */
  quote: string | null;
}

/** Messages of the kubelet can be pages long; the first lines carry the reason. */
const QUOTE_LENGTH_MAX = 400;

/** `pod` is named where the reason concerns the whole pod. */
export function blockWords(pod: string, block: PodBlock): BlockWords {
  const container = block.container ?? pod;
  const quote = block.message === null ? null : bounded(block.message);
  switch (block.kind) {
    case 'crashLoop':
      return { subject: container, says: exitWords(block), quote: null };
    case 'imagePull':
      return { subject: container, says: 'cannot pull its image:', quote: quote ?? block.reason };
    case 'configError':
      return { subject: container, says: 'cannot be created:', quote: quote ?? block.reason };
    case 'unschedulable':
      return { subject: pod, says: 'finds no node:', quote: quote ?? block.reason };
    case 'volume':
      return { subject: pod, says: 'waits for a volume:', quote: quote ?? block.reason };
    case 'init':
      return { subject: container, says: `must end before the others start; it ${exitWords(block)}`, quote };
    case 'readiness':
      return { subject: container, says: 'runs but is not ready', quote };
    case 'notStarted':
      return { subject: pod, says: 'has not been started yet', quote };
    case 'terminating':
      return { subject: pod, says: 'is being deleted and has not ended', quote };
    case 'failed':
      return { subject: pod, says: `has failed: ${block.reason}`, quote };
    default:
      return block.kind satisfies never;
  }
}

/** Whether the pod is merely on its way, for no longer than that may take. */
export function isOnItsWay(block: PodBlock, nowMs: number): boolean {
  return block.kind !== 'crashLoop' && !isStuck(block, new Date(nowMs).toISOString());
}

/** The same for a pod that is on its way: that its container is not ready yet needs no quote. */
export function startingWords(pod: string, block: PodBlock): BlockWords {
  const words = blockWords(pod, block);
  return block.kind === 'readiness' ? { ...words, says: 'is not ready yet', quote: null } : words;
}

/** Those that stop for the same reason as the first, which is the worst. */
export function sameAsFirst(blockers: readonly Blocker[]): readonly Blocker[] {
  const [first] = blockers;
  if (first === undefined) return [];
  return blockers.filter(
    ({ block }) => block.kind === first.block.kind && block.container === first.block.container,
  );
}

/** "9 restarts", "9 to 11 restarts each"; empty where there were none. */
export function restartWords(blockers: readonly Blocker[]): string {
  const counts = blockers.map(({ block }) => block.restarts);
  const least = Math.min(...counts);
  const most = Math.max(...counts);
  if (most <= 0 || counts.length === 0) return '';
  const range = least === most ? String(most) : `${least} to ${most}`;
  return `${range} ${most === 1 ? 'restart' : 'restarts'}${counts.length > 1 ? ' each' : ''}`;
}

/** The sentence without what the machine said in it: that stands below, word by word. */
export function withoutQuote(sentence: string, blockers: readonly Blocker[]): string {
  return blockers.reduce((text, { block }) => {
    return block.message === null ? text : text.replace(` (${block.message})`, '');
  }, sentence);
}

/** Whether the container ran at all, so that there are lines to read. */
export function hasLogs(block: PodBlock): boolean {
  return ['crashLoop', 'init', 'readiness', 'failed'].includes(block.kind);
}

function exitWords({ lastTermination, reason }: PodBlock): string {
  if (lastTermination === null) return `stops again and again (${reason})`;
  if (lastTermination.reason === 'OOMKilled') return 'is killed because it takes more memory than its limit';
  if (lastTermination.exitCode === null) return `ended: ${lastTermination.reason ?? reason}`;
  const named = lastTermination.reason !== null && !['Error', 'Completed'].includes(lastTermination.reason);
  return `exits with code ${lastTermination.exitCode}${named ? ` (${lastTermination.reason})` : ''}`;
}

function bounded(text: string): string {
  return text.length > QUOTE_LENGTH_MAX ? `${text.slice(0, QUOTE_LENGTH_MAX - 1)}…` : text;
}
