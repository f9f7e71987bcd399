import { spawn } from 'node:child_process';
import type { JsonObject } from '@/lib/kube/json';

export interface KubectlResult {
  stdout: string;
  stderr: string;
  code: number;
}

/** Runs kubectl and returns its output; a failing command is a result, not an exception. */
export async function runKubectl(
  program: string,
  kubeconfig: string,
  args: string[],
  input?: string,
): Promise<KubectlResult> {
  // Without input the pipe is open, and a command that would wait for long ends with this process.
  const parentPipe = input === undefined ? { SHIPLOG_PARENT_PIPE: '1' } : {};
  const child = spawn(program, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, KUBECONFIG: kubeconfig, KUBECTL_KUBERC: 'false', ...parentPipe },
  });
  const result: KubectlResult = { stdout: '', stderr: '', code: -1 };
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (result.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (result.stderr += chunk));
  child.stdin.on('error', () => undefined);
  if (input !== undefined) child.stdin.end(input);
  result.code = await new Promise<number>((resolve, reject) =>
    child.on('error', reject).on('close', (code) => resolve(code ?? -1)),
  );
  // A busy machine has not even opened the connection, so nothing was sent.
  const isUnsent =
    result.code !== 0 && result.stdout === '' && result.stderr.includes('TLS handshake timeout');
  return isUnsent ? runKubectl(program, kubeconfig, args, input) : result;
}

/** A row of `kubectl rollout history`. */
export interface KubectlRevision {
  revision: number;
  /** kubectl prints `<none>` where the annotation is missing. */
  changeCause: string | undefined;
}

export type Kubectl = (args: string[]) => Promise<KubectlResult>;

/**
 * What kubectl shows as the history of a workload, in its order.
 *
 * @param kind as kubectl spells it: `deployment`, `statefulset`, `daemonset`.
 */
export async function kubectlHistory(
  kubectl: Kubectl,
  kind: string,
  namespace: string,
  name: string,
): Promise<KubectlRevision[]> {
  return parseHistory(await output(kubectl, ['rollout', 'history', `${kind}/${name}`, '-n', namespace]));
}

/**
 * What kubectl shows as one revision, as JSON: the ReplicaSet of a Deployment, or the StatefulSet or DaemonSet with
 * that revision applied. The template is at `spec.template` in each.
 */
export async function kubectlRevision(
  kubectl: Kubectl,
  kind: string,
  namespace: string,
  name: string,
  revision: number,
): Promise<JsonObject> {
  const args = [
    'rollout',
    'history',
    `${kind}/${name}`,
    '-n',
    namespace,
    `--revision=${revision}`,
    '-o',
    'json',
  ];

  return JSON.parse(await output(kubectl, args)) as JsonObject;
}

/** Rows of the table that `kubectl rollout history` prints; a change-cause may span lines. */
export function parseHistory(text: string): KubectlRevision[] {
  const lines = text.split('\n');
  const header = lines.findIndex((line) => /^REVISION\s+CHANGE-CAUSE/.test(line));
  if (header < 0) throw new Error(`kubectl printed no history:\n${text}`);
  const rows: KubectlRevision[] = [];
  for (const line of lines.slice(header + 1)) {
    const match = /^(\d+)\s+(.*)$/.exec(line);
    if (match !== null) rows.push({ revision: Number(match[1]), changeCause: causeOf(match[2] ?? '') });
    else if (line.trim() !== '') appendLine(rows, line);
  }

  return rows;
}

function causeOf(text: string): string | undefined {
  return text.trimEnd() === '<none>' ? undefined : text.trimEnd();
}

function appendLine(rows: KubectlRevision[], line: string): void {
  const last = rows.at(-1);
  if (last !== undefined) last.changeCause = `${last.changeCause ?? ''}\n${line.trim()}`;
}

async function output(kubectl: Kubectl, args: string[]): Promise<string> {
  const { code, stdout, stderr } = await kubectl(args);
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr.trim()}`);

  return stdout;
}
