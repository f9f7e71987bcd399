import { kubeconfigIn, sandboxFolder } from '@/server/shared/sandbox-folder';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '@/lib/kube/json';
import { ConfigError } from '@/server/shared/config-error';
import { writePrivate } from '@/server/shared/write-private';
import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/** Identifies what wrote a folder; the history of another version is seeded again. */
const VERSION = 3;
const SEEDED_FILE = 'played.json';

/** The folder with all files of the sandbox, for this user only. */
export interface StateFolder {
  readonly path: string;
  /** Records that the history was seeded to its end, so that its state can be reused. */
  markSeeded(): void;
  /** Returns the path. */
  writeKubeconfig(text: string): string;
}

/** Whether there is a state to continue from. */
export function isPlayed(dataDir: string): boolean {
  const seededFile = join(sandboxFolder(dataDir), SEEDED_FILE);
  if (!existsSync(seededFile)) return false;
  try {
    const content = parseJson(readFileSync(seededFile, 'utf8'));
    return isJsonObject(content) && content.version === VERSION;
  } catch {
    return false;
  }
}

/** Opens the folder and creates it if missing; `fresh` deletes its content. */
export function openStateFolder(dataDir: string, contents: 'kept' | 'fresh'): StateFolder {
  const path = sandboxFolder(dataDir);
  if (contents === 'fresh') rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  return {
    path,
    markSeeded: () => {
      writePrivate(join(path, SEEDED_FILE), JSON.stringify({ version: VERSION }));
    },
    writeKubeconfig: (text) => writePrivate(kubeconfigIn(path), text),
  };
}

/** On loopback a response arrives at once. */
const TIMEOUT_MS = 1_000;

/** Throws ConfigError when another process serves the folder: two would overwrite each other's state. */
export async function requireNoOtherInstance(folder: string): Promise<void> {
  const kubeconfig = kubeconfigIn(folder);
  if (!existsSync(kubeconfig) || !(await isServed(kubeconfig))) return;
  throw new ConfigError([
    `The sandbox in ${folder} is in use by another process. Stop that one, or set SHIPLOG_DATA_DIR to another directory.`,
  ]);
}

/** Only the owner of the key made for that kubeconfig passes the certificate check. */
function isServed(kubeconfig: string): Promise<boolean> {
  const [entry] = listOrEmptyAt(parseJson(readFileSync(kubeconfig, 'utf8')), 'clusters');
  const ca = Buffer.from(textOrEmptyAt(entry, 'cluster', 'certificate-authority-data'), 'base64');
  const { promise, resolve } = Promise.withResolvers<boolean>();
  request(`${textOrEmptyAt(entry, 'cluster', 'server')}/livez`, { ca, timeout: TIMEOUT_MS, agent: false })
    .on('response', (answer) => {
      answer.resume();
      resolve(true);
    })
    .on('timeout', () => resolve(false))
    .on('error', () => resolve(false))
    .end();
  return promise;
}
