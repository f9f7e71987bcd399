import 'server-only';
import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { z } from 'zod';
import { AppError } from '@/lib/errors';
import { Backoff } from '@/server/cluster/backoff';
import type { Clock } from '@/server/shared/clock';
import { commonNames } from '@/server/shared/masking/credential-name';
import { hideInText } from '@/server/shared/masking/credential-text';
import { jsonOrUndefined } from '@/server/cluster/api-errors';

/**
 * How a kubeconfig configures a plugin.
 * https://kubernetes.io/docs/reference/access-authn-authz/authentication/#configuration
 */
export interface PluginCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly installHint?: string | undefined;
}

/** A plugin's result. Certificate and key are PEM. */
interface PluginCredential {
  readonly token?: string | undefined;
  readonly certificate?: string | undefined;
  readonly key?: string | undefined;
}

/** Without a terminal, a plugin that prompts never gets an answer. */
const RUN_TIMEOUT_MS = 60_000;
/** A request must not arrive with a token that has just expired. */
const RENEW_BEFORE_MS = 60_000;
const PAUSE_MAX_MS = 60_000;
/** A credential that is rejected again so soon is no better than the previous one. */
const REJECTED_AGAIN_MS = 120_000;
const OUTPUT_CHARS_MAX = 1_000_000;
const MESSAGE_CHARS_MAX = 200;

const answerSchema = z.object({
  status: z.object({
    token: z.string().optional(),
    clientCertificateData: z.string().optional(),
    clientKeyData: z.string().optional(),
    expirationTimestamp: z.string().optional(),
  }),
});

type Plugin = ChildProcessByStdio<null, Readable, Readable>;

interface CachedCredential {
  value: PluginCredential;
  renewAt: number;
  expiresAt: number;
}

/**
 * Runs the credential plugin of a kubeconfig: never twice at a time, never for longer than a minute, and with
 * growing pauses while it fails. A credential is used until shortly before it expires, and while it is being
 * renewed.
 */
export class CredentialPlugin {
  readonly #command: PluginCommand;
  readonly #clock: Clock;
  readonly #backoff: Backoff;
  #cached: CachedCredential | undefined;
  #running: Promise<PluginCredential> | undefined;
  #failure: unknown;
  #notBefore = -Infinity;
  #rejectedAt = -Infinity;

  constructor(command: PluginCommand, clock: Clock, random: () => number = Math.random) {
    this.#command = command;
    this.#clock = clock;
    this.#backoff = new Backoff(clock, random);
  }

  /** Throws AppError `unauthorized`. */
  async current(): Promise<PluginCredential> {
    const now = this.#clock.now();
    const cached = this.#cached !== undefined && now < this.#cached.expiresAt ? this.#cached : undefined;
    if (cached !== undefined && now < cached.renewAt) return cached.value;
    if (this.#running === undefined && now < this.#notBefore) {
      if (cached !== undefined) return cached.value;
      throw this.#failure;
    }
    this.#running ??= this.#renew().finally(() => (this.#running = undefined));
    if (cached === undefined) return this.#running;
    this.#running.catch(() => undefined);
    return cached.value;
  }

  /**
   * The API server rejected the credential. The plugin runs again at once, or after a pause where that did
   * not help.
   */
  markRejected(): void {
    const now = this.#clock.now();
    const isAgain = now - this.#rejectedAt < REJECTED_AGAIN_MS;
    this.#rejectedAt = now;
    if (this.#cached === undefined || now < this.#notBefore) return;
    if (isAgain) this.#notBefore = now + this.#backoff.next(PAUSE_MAX_MS);
    const until = isAgain ? this.#notBefore : now;
    this.#cached = { ...this.#cached, renewAt: until, expiresAt: until };
  }

  async #renew(): Promise<PluginCredential> {
    try {
      this.#cached = this.#parse(await runPlugin(this.#command, this.#clock));
      this.#failure = undefined;
      return this.#cached.value;
    } catch (error) {
      this.#notBefore = this.#clock.now() + this.#backoff.next(PAUSE_MAX_MS);
      this.#failure = failureOf(this.#command, error);
      throw this.#failure;
    }
  }

  #parse(output: string): CachedCredential {
    const parsed = answerSchema.safeParse(jsonOrUndefined(output));
    if (!parsed.success) throw new Error('Its output is not an ExecCredential');
    const { token, clientCertificateData, clientKeyData, expirationTimestamp } = parsed.data.status;
    if (token === undefined && clientCertificateData === undefined)
      throw new Error('It returned neither a token nor a certificate');
    const now = this.#clock.now();
    const expiresAt = expirationTimestamp === undefined ? Infinity : Date.parse(expirationTimestamp);
    if (!(expiresAt > now)) throw new Error('It returned an expired credential');
    const value = { token, certificate: clientCertificateData, key: clientKeyData };
    return { value, expiresAt, renewAt: expiresAt - Math.min(RENEW_BEFORE_MS, (expiresAt - now) / 2) };
  }
}

/** The output of the plugin. It is killed when it takes too long, with its child processes. */
async function runPlugin({ command, args, env }: PluginCommand, clock: Clock): Promise<string> {
  const child = spawn(command, args, {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    // A process group of its own: a script is killed together with its children.
    detached: process.platform !== 'win32',
    windowsHide: true,
  });
  const kill = () => killProcessGroup(child);
  process.once('exit', kill);
  const settled = new AbortController();
  try {
    return await Promise.race([outputOf(child), rejectAfterTimeout(clock, settled.signal)]);
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
    let message = '';
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      output += part.slice(0, OUTPUT_CHARS_MAX - output.length);
    });
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      message = (message + part).slice(-OUTPUT_CHARS_MAX);
    });
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(message.trim() || `It exited with ${code ?? 'a signal'}`));
    });
  });
}

async function rejectAfterTimeout(clock: Clock, signal: AbortSignal): Promise<never> {
  // The plugin was killed in time: the exit has no listener any more.
  await clock.sleep(RUN_TIMEOUT_MS, signal).catch(() => new Promise(() => undefined));
  throw new Error(
    `It did not respond within ${RUN_TIMEOUT_MS / 1000} s and was stopped. Run it in a terminal to see what it is waiting for`,
  );
}

function killProcessGroup({ pid, stdout, stderr }: Plugin): void {
  stdout.destroy();
  stderr.destroy();
  if (pid === undefined) return;
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/** Its output may contain its input. The end tells most, and a reader reads no more. */
function failureOf({ command, installHint }: PluginCommand, error: unknown): AppError {
  const message = hideInText(
    error instanceof Error ? error.message : String(error),
    commonNames,
    () => '[masked]',
  ).trim();
  const shown = message.length > MESSAGE_CHARS_MAX ? `…${message.slice(-MESSAGE_CHARS_MAX)}` : message;
  const hint = installHint === undefined ? '' : ` ${installHint.trim()}`;
  return new AppError(
    'unauthorized',
    `The credential plugin ${command} failed: ${shown.replace(/\.$/, '')}.${hint}`,
    {},
  );
}
