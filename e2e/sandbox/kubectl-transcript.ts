import type { KubectlCluster } from '@/e2e/sandbox/kubectl-cluster';
import { createMasks } from '@/e2e/sandbox/kubectl-masks';

/** One kubectl command; a string is the arguments, separated by spaces. */
export type Command =
  | string
  | {
      readonly run: string;
      /** Arguments that contain spaces, after the others. */
      readonly more?: readonly string[];
      readonly user?: string;
      readonly input?: string;
    };

interface TranscriptEntry {
  readonly command: string;
  readonly code: number;
  readonly stdout: string[];
  readonly stderr: string[];
}

const READS = new Set(['get', 'describe', 'auth', 'diff', 'events', 'wait', 'version', 'logs', 'top']);
const ROLLOUT_READS = new Set(['history', 'status']);

/**
 * The output of each kubectl command, one after the other, each once the controllers have processed the previous one.
 */
export async function record(
  cluster: KubectlCluster,
  namespace: string,
  commands: readonly Command[],
): Promise<TranscriptEntry[]> {
  const masks = createMasks(cluster.client, namespace);
  const entries: TranscriptEntry[] = [];
  for (const command of commands) {
    const { run, more = [], user, input } = typeof command === 'string' ? { run: command } : command;
    const words = run.split(' ');
    const options = { ...(user === undefined ? {} : { user }), ...(input === undefined ? {} : { input }) };
    const { code, stdout, stderr } = await cluster.kubectl(['-n', namespace, ...words, ...more], options);
    if (code === 0 && changes(words)) await cluster.idle(namespace);
    await masks.learn();
    const lines = (text: string) =>
      inOrder(words, masks.mask(text).replace(CONDITIONS, inOrderOfType).trimEnd().split('\n'));
    // kubectl waits only where it began before the deadline.
    const isTooLate = stderr.includes('exceeded its progress deadline');
    entries.push({ command: run, code, stdout: isTooLate ? [] : lines(stdout), stderr: lines(stderr) });
  }
  return entries;
}

/** The conditions of an object, in YAML and as `kubectl describe` prints them. */
const CONDITIONS =
  /(?<=^( *)conditions:\n)(?:\1[- ] .*\n)+|(?<=^Conditions:\n.*\n.*----.*\n)(?: {2}[A-Z].*\n)+/gm;

/** A condition that changes moves to the end, and whether it changes depends on how quickly pods become ready. */
function inOrderOfType(conditions: string): string {
  const typeOf = (condition: string) => /type: .*/.exec(condition)?.[0] ?? condition;
  return conditions
    .split(/^(?= *(?:- |[A-Z]))/m)
    .toSorted((a, b) => typeOf(a).localeCompare(typeOf(b)))
    .join('');
}

function changes([first = '', second = '']: string[]): boolean {
  return first === 'rollout' ? !ROLLOUT_READS.has(second) : !READS.has(first);
}

/**
 * Rows are in the order of generated names, events in the order in which controllers happened to run, and rights in
 * the order in which roles were read.
 */
function inOrder(words: string[], lines: string[]): string[] {
  if (words[0] === 'get' && !words.some((word) => /^(yaml|json)$|^-ojson|^-oyaml/.test(word)))
    return lines.toSorted();
  if (words[0] === 'rollout' && words[1] === 'status') return lines.slice(-1);
  if (words[0] === 'delete') return lines.toSorted();
  if (words[0] === 'auth') return lines.map(withSortedVerbs).toSorted();
  const events = lines.findIndex((line) => line.startsWith('Events:'));
  return events < 0 ? lines : [...lines.slice(0, events), ...new Set(lines.slice(events).toSorted())];
}

function withSortedVerbs(line: string): string {
  return line.replace(/[a-z ]+(?=\]$)/, (verbs) => verbs.split(' ').toSorted().join(' '));
}
