import { chmodSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '@/lib/kube/json';

/** What a folder was written by; a folder of another version starts over. */
const VERSION = 1;
const MARK = 'played.json';

/** The folder that the sandbox's state lives in, for this user only. */
export interface StateFolder {
  readonly path: string;
  readonly kubeconfigPath: string;
  /** Whether the story was played to its end, so that its state can go on. */
  readonly isPlayed: boolean;
  /** Notes that it was. */
  markPlayed(): void;
  writeKubeconfig(text: string): void;
}

/**
 * Opens the folder, making it where it is missing. What a play left behind that did not come to its end is removed, and
 * everything is with `reset`.
 */
export function openStateFolder(path: string, reset: boolean): StateFolder {
  const mark = join(path, MARK);
  const isPlayed = !reset && isMark(mark);
  if (!isPlayed) rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  const kubeconfigPath = join(path, 'kubeconfig');
  return {
    path,
    kubeconfigPath,
    isPlayed,
    markPlayed: () => writePrivate(mark, JSON.stringify({ version: VERSION })),
    writeKubeconfig: (text) => writePrivate(kubeconfigPath, text),
  };
}

/** Writes a file that only this user may read, whole or not at all. */
export function writePrivate(path: string, text: string): void {
  const draft = `${path}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

function isMark(path: string): boolean {
  if (!existsSync(path)) return false;
  try {
    const content = parseJson(readFileSync(path, 'utf8'));
    return isJsonObject(content) && content.version === VERSION;
  } catch {
    return false;
  }
}
