import { readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Everything below a folder, sorted. Does not follow links, as the recursive `readdir` does.
 *
 * @param {string} root
 * @returns {{ path: string, isFolder: boolean }[]}
 */
export function pathsIn(root, below = '') {
  const found = [];
  for (const entry of readdirSync(join(root, below), { withFileTypes: true })) {
    const path = join(below, entry.name);
    found.push({ path, isFolder: entry.isDirectory() });
    if (entry.isDirectory()) found.push(...pathsIn(root, path));
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}
