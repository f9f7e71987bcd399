// What the image is made of and where it is cached.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { spawnSync } from 'node:child_process';

/** Folder of the downloads, shared by all working copies. */
export function cacheFolder(...names) {
  const folder = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'shiplog', 'image', ...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** The digest of a file: hexadecimal for Debian, base64 for npm. */
export function digestOf(path, algorithm, encoding) {
  return createHash(algorithm).update(readFileSync(path)).digest(encoding);
}

/** The output of a program. Throws where it fails, with its messages and what the failure means. */
export function run(program, args, options = {}, meaning = `${program} failed.`) {
  const done = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 1e9, ...options });
  if (done.error?.code === 'ENOENT')
    throw new Error(`${program} is missing. The image is built on Debian 12 or newer, with Node and npm.`);
  if (done.status !== 0) throw new Error(`${meaning}\n${done.stderr || done.error}`);
  return done.stdout;
}
