import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Writes a file that only this user is allowed to read, completely or not at all; returns its path. */
export function writePrivate(path: string, text: string): string {
  const draft = `${path}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
  return path;
}
