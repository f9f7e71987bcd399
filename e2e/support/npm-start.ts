import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { waitFor } from '@/e2e/controlplane/wait';

const root = fileURLToPath(new URL('../..', import.meta.url));

export interface Started {
  readonly child: ChildProcess;
  /** Its output so far. */
  readonly output: () => string;
  /** The exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
}

/** Runs what `npm start` runs, with only the given settings and none of this machine's. */
export function npmStart(env: Readonly<Record<string, string>>, ...flags: string[]): Started {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [...startCommand(), ...flags], {
    cwd: root,
    env: { NODE_ENV: 'production', PATH, ...env },
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.once('exit', (code) => resolve(code)));
  return { child, output: () => output, ended };
}

/** Resolves when the address has been printed. */
export async function untilServing({ output }: Started): Promise<void> {
  await waitFor(() => output().includes('Shiplog is at '), {
    what: 'the address is printed',
    // The first start builds.
    timeoutMs: 600_000,
    detail: output,
  });
}

function startCommand(): string[] {
  const { scripts } = JSON.parse(readFileSync(`${root}package.json`, 'utf8')) as {
    scripts: { start: string };
  };
  return scripts.start.split(' ').slice(1);
}
