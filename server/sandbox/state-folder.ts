import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '@/lib/kube/json';
import { writePrivate } from '@/server/write-private';

/** What a folder was written by; the story of another version is played anew. */
const VERSION = 2;
const MARK = 'played.json';

/** The folder that all of the sandbox is kept in, for this user only. */
export interface StateFolder {
  readonly path: string;
  /** Notes that the story was played to its end, so that its state can go on. */
  markPlayed(): void;
  /** Returns the path. */
  writeKubeconfig(text: string): string;
}

export function sandboxFolder(dataDir: string): string {
  return join(dataDir, 'sandbox');
}

export function kubeconfigIn(folder: string): string {
  return join(folder, 'kubeconfig');
}

/** Whether there is a state that can go on. */
export function isPlayed(dataDir: string): boolean {
  const mark = join(sandboxFolder(dataDir), MARK);
  if (!existsSync(mark)) return false;
  try {
    const content = parseJson(readFileSync(mark, 'utf8'));
    return isJsonObject(content) && content.version === VERSION;
  } catch {
    return false;
  }
}

/** Opens the folder, making it where it is missing; with `fresh` all that was in it is removed. */
export function openStateFolder(dataDir: string, contents: 'kept' | 'fresh'): StateFolder {
  const path = sandboxFolder(dataDir);
  if (contents === 'fresh') rmSync(path, { recursive: true, force: true });
  mkdirSync(path, { recursive: true, mode: 0o700 });
  chmodSync(path, 0o700);
  return {
    path,
    markPlayed: () => {
      writePrivate(join(path, MARK), JSON.stringify({ version: VERSION }));
    },
    writeKubeconfig: (text) => writePrivate(kubeconfigIn(path), text),
  };
}
