import { kubeconfigIn, sandboxFolder } from '@/server/shared/sandbox-folder';
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isJsonObject, parseJson } from '@/lib/kube/json';
import { writePrivate } from '@/server/shared/write-private';

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
