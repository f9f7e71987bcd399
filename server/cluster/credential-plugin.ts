import 'server-only';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { type Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { Backoff } from '@/server/cluster/backoff';
import { type Clock } from '@/server/cluster/clock';
import { commonNames } from '@/server/credential-name';
import { hideInText } from '@/server/credential-text';

/** How a kubeconfig asks for one. https://kubernetes.io/docs/reference/access-authn-authz/authentication/#configuration */
export interface PluginCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string | undefined;
}

/** What it gives. Certificate and key are PEM. */
export interface PluginCredential {
  readonly token?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Without a terminal a plugin that asks for something never gets an answer. */
const RUN_MS = 60_000;
/** Requests under way must not arrive with a token that has just expired. */
const RENEW_BEFORE_MS = 60_000;
const PAUSE_MAX_MS = 60_000;
/** A credential that is refused again so soon is no better than the one before. */
const REFUSED_AGAIN_MS = 120_000;
const OUTPUT_CHARS_MAX = 1_000_000;
const WORDS_CHARS_MAX = 200;

const answerSchema = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
});

type Plugin = ChildProcessByStdio<null, Readable, Readable>;

interface Kept {
  value: PluginCredential;
  renewAt: number;
  expiresAt: number;
}

/**
 * Runs the credential plugin of a kubeconfig: never twice at a time, never for longer than a minute, and with growing
 * pauses while it fails. What it gave serves until shortly before it expires, and on while it is being renewed.
 */
export class CredentialPlugin {
  readonly #command: PluginCommand;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  #kept: Kept | undefined;
  #running: Promise<PluginCredential> | undefined;
  #failure: unknown;
  #notBefore = -Infinity;
  #refusedAt = -Infinity;

  constructor(command: PluginCommand, clock: Clock, random: () => number = Math.random) {
    this.#command = command;
    this.#clock = clock;
    this.#backoff = new Backoff(clock, random);
  }

  /** Throws AppError `unauthorized`. */
  async current(): Promise<PluginCredential> {
    const now = this.#clock.now();
    const kept = this.#kept !== undefined && now < this.#kept.expiresAt ? this.#kept : undefined;
    if (kept !== undefined && now < kept.renewAt) return kept.value;
    if (this.#running === undefined && now < this.#notBefore) {
      if (kept !== undefined) return kept.value;
      throw this.#failure;
    }
    this.#running ??= this.#renew().finally(() => (this.#running = undefined));
    if (kept === undefined) return this.#running;
    this.#running.catch(() => undefined);
    return kept.value;
  }

  /** The API server did not accept what it gave. It runs again at once, or after a pause where that did not help. */
  refuse(): void {
    const now = this.#clock.now();
    const isAgain = now - this.#refusedAt < REFUSED_AGAIN_MS;
    this.#refusedAt = now;
    if (this.#kept === undefined || now < this.#notBefore) return;
    if (isAgain) this.#notBefore = now + this.#backoff.next(PAUSE_MAX_MS);
    const until = isAgain ? this.#notBefore : now;
    this.#kept = { ...this.#kept, renewAt: until, expiresAt: until };
  }

  async #renew(): Promise<PluginCredential> {
    try {
      this.#kept = this.#read(await runPlugin(this.#command, this.#clock));
      this.#failure = undefined;
      return this.#kept.value;
    } catch (error) {
      this.#notBefore = this.#clock.now() + this.#backoff.next(PAUSE_MAX_MS);
      this.#failure = failureOf(this.#command, error);
      throw this.#failure;
    }
  }

  #read(output: string): Kept {
    const parsed = answerSchema.safeParse(jsonOrUndefined(output));
    if (!parsed.success) throw new Error('It printed something that is no ExecCredential');
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.data.status;
    if (token === undefined && clientCertificateData === undefined)
      throw new Error('It gave neither a token nor a certificate');
    const now = this.#clock.now();
    const expiresAt = expirationTimestamp === undefined ? Infinity : Date.parse(expirationTimestamp);
    if (!(expiresAt > now)) throw new Error('It gave a credential that has expired');
    const value = { token, certificate: clientCertificateData, key: clientKeyData };
    return { value, expiresAt, renewAt: expiresAt - Math.min(RENEW_BEFORE_MS, (expiresAt - now) / 2) };
  }
}

/** What the plugin prints. It is ended when it takes too long, with whatever it has started. */
async function runPlugin({ command, args, env }: PluginCommand, clock: Clock): Promise<string> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A group of its own: a script is ended together with what it waits for.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const kill = () => endGroup(child);
  process.once('exit', kill);
  const settled = new AbortController();
  try {
    return await Promise.race([outputOf(child), tooLate(clock, settled.signal)]);
  } catch (error) {
    kill();
    throw error;
  } finally {
    settled.abort();
    process.off('exit', kill);
  }
}

function outputOf(child: Plugin): Promise<string> {
  return new Promise((resolve, reject) => {
    let output = '';
    let words = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output += part.slice(0, OUTPUT_CHARS_MAX - output.length);
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      words = (words + part).slice(-OUTPUT_CHARS_MAX);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(words.trim() || `It ended with ${code ?? 'a signal'}`));
    });
  });
}

async function tooLate(clock: Clock, signal: AbortSignal): Promise<never> {
  // Ended in time: nobody listens any more.
  await clock.sleep(RUN_MS, signal).catch(() => new Promise(() => undefined));
  throw new Error(
    `It did not answer within ${RUN_MS / 1000} s and was ended. Run it in a terminal to see what it waits for`,
  );
}

function endGroup({ pid, stdout, stderr }: Plugin): void {
  stdout.destroy();
  stderr.destroy();
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/** What it wrote may hold what it read. The end says most, and nobody reads more. */
function failureOf({ command, installHint }: PluginCommand, error: unknown): AppError {
  const words = hideInText(
    error instanceof Error ? error.message : String(error),
    commonNames,
    () => '[masked]',
  ).trim();
  const shown = words.length > WORDS_CHARS_MAX ? `…${words.slice(-WORDS_CHARS_MAX)}` : words;
  const hint = installHint === undefined ? '' : ` ${installHint.trim()}`;
  return new AppError(
    'unauthorized',
    `The credential plugin ${command} failed: ${shown.replace(/\.$/, '')}.${hint}`,
    {},
  );
}

function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
