import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

/** Builds of other branches are retained side by side; each takes up to 300 MB, so older ones are deleted. */
const KEPT_BUILDS = 3;

/**
 * The folder of what `build` writes into a new folder, unless it was built before under this key of 16 hex digits.
 * Concurrent processes share one build.
 */
export async function cachedBuild(
  name: string,
  key: string,
  build: (directory: string) => Promise<void>,
): Promise<string> {
  const root = join(cacheHome(), 'shiplog', name);
  const directory = join(root, key);
  if (!existsSync(directory)) {
    await mkdir(root, { recursive: true });
    await withLock(`${directory}.lock`, async () => {
      if (!existsSync(directory)) await buildInto(directory, build);
    });
    await prune(root, directory);
  }
  const now = new Date();
  await utimes(directory, now, now);

  return directory;
}

function cacheHome(): string {
  return process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
}

async function buildInto(directory: string, build: (directory: string) => Promise<void>): Promise<void> {
  const unfinished = `${directory}.${process.pid}.tmp`;
  await mkdir(unfinished);
  try {
    await build(unfinished);
    await rename(unfinished, directory);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
}

/** Exactly one process can create the directory; its pid distinguishes a live lock from an abandoned one. */
async function withLock(lock: string, work: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await mkdir(lock);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (await isAbandoned(lock)) await rm(lock, { recursive: true, force: true });
      else await delay(500);
    }
  }
  try {
    await writeFile(join(lock, 'pid'), String(process.pid));
    await work();
  } finally {
    await rm(lock, { recursive: true, force: true });
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    return !isAlive(Number(await readFile(join(lock, 'pid'), 'utf8')));
  } catch {
    // The holder has not written its pid yet, or has just ended; a lock without a pid for long is abandoned.
    const made = await stat(lock).catch(() => undefined);
    return made !== undefined && Date.now() - made.mtimeMs > 10_000;
  }
}

/** Whether a process of this id exists. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

async function prune(root: string, keep: string): Promise<void> {
  const names = (await readdir(root)).filter(
    (name) => /^[0-9a-f]{16}$/.test(name) && join(root, name) !== keep,
  );
  const builds = await Promise.all(
    names.map(async (name) => ({ name, used: (await stat(join(root, name))).mtimeMs })),
  );
  const old = builds.sort((a, b) => b.used - a.used).slice(KEPT_BUILDS - 1);
  await Promise.all(old.map(({ name }) => rm(join(root, name), { recursive: true, force: true })));
}
