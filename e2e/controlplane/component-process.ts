import { type ChildProcess, spawn } from 'node:child_process';
import { openSync, closeSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Time in which a component ends after SIGTERM; the API server is the slowest with about two seconds. */
const STOP_TIMEOUT_MS = 15_000;

/** One running component process of the control plane. */
export interface ComponentProcess {
  readonly name: string;
  readonly pid: number;
  /** Settles when the process has ended; never rejects. */
  readonly exited: Promise<void>;
  hasExited(): boolean;
  /** Sends the signal without waiting. */
  signal(signal: NodeJS.Signals): void;
  /** Sends SIGTERM, after a while SIGKILL, and returns when the process has ended. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** The last lines that it logged, for error messages. */
  lastLines(): string;
}

/**
 * Starts a program in its own process group, so that Ctrl-C reaches only the process that stops the components in
 * order. It ends when this process dies for any reason: it watches the pipe on its standard input.
 */
export function startComponent(program: string, args: string[], logFile: string): ComponentProcess {
  const name = basename(program);
  const output = openSync(logFile, 'a');
  const child = spawn(program, args, {
    stdio: ['pipe', output, output],
    detached: true,
    env: { ...process.env, SHIPLOG_PARENT_PIPE: '1' },
  });
  closeSync(output);
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  if (child.pid === undefined) throw new Error(`${name} cannot be started: ${program}`);
  detach(child);

  return {
    name,
    pid: child.pid,
    exited,
    hasExited: () => child.exitCode !== null || child.signalCode !== null,
    signal: (signal) => void child.kill(signal),
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill(signal);
      const insist = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
      child.ref();
      await exited;
      clearTimeout(insist);
    },
    lastLines: () => readFileSync(logFile, 'utf8').slice(-3000),
  };
}

/** A test runner that is done must be able to end although the control plane still runs. */
function detach(child: ChildProcess): void {
  child.unref();
  child.stdin?.on('error', () => undefined);
  (child.stdin as unknown as { unref?: () => void } | null)?.unref?.();
}
