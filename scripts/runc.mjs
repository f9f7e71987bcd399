// Finds runc for the tests of the image, or installs the system's.
import { existsSync } from 'node:fs';
import { installPackage } from './system-package.mjs';

const places = ['/usr/sbin/runc', '/usr/bin/runc', '/usr/local/sbin/runc', '/usr/local/bin/runc'];

/** Path of runc, or undefined where there is none, or we can't run it because we are not root. */
export function findRunc() {
  if (process.platform !== 'linux' || process.getuid?.() !== 0) return undefined;
  return places.find((path) => existsSync(path));
}

/** The same, after an installation if there is none. */
export function ensureRunc() {
  if (process.getuid?.() !== 0) return undefined;
  return findRunc() ?? (installPackage('runc', 'runc') ? findRunc() : undefined);
}
