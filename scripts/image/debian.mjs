// The Debian packages of the image: versions and checksums are those of deploy/image/packages.json.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { cacheFolder, digestOf, run } from './cache.mjs';

const lockPath = fileURLToPath(new URL('../../deploy/image/packages.json', import.meta.url));

/** What the Node binary links, the certificates, the name of the distribution, and the license texts of these. */
const NAMES = ['base-files', 'ca-certificates', 'gcc-14-base', 'libc6', 'libgcc-s1', 'libstdc++6'];
const SUITE = 'trixie';
/** Where Debian's package of its keys puts them. */
const KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
export const ARCHITECTURES = ['amd64', 'arm64'];

const GONE =
  'Debian does not offer a package of deploy/image/packages.json: it replaces a version when a fix is out. Run "npm run image -- --update-lock", and commit the file.';

/** Architecture → packages with name, version and sha256. */
export function readLock() {
  return JSON.parse(readFileSync(lockPath, 'utf8')).packages;
}

/** Makes the lock name what Debian has now; returns the packages that are others than before. */
export function updateLock() {
  const before = new Set(Object.values(existsSync(lockPath) ? readLock() : {}).flatMap(titlesOf));
  const packages = currentPackages();
  writeFileSync(lockPath, `${JSON.stringify({ suite: SUITE, packages }, null, 2)}\n`);
  return [...new Set(Object.values(packages).flatMap(titlesOf))].filter((title) => !before.has(title));
}

function titlesOf(packages) {
  return packages.map(({ name, version }) => `${name} ${version}`);
}

/** The newest version of each that Debian's signed lists name; in the form of the lock. */
export function currentPackages() {
  return Object.fromEntries(ARCHITECTURES.map((arch) => [arch, privateApt(arch).newest(NAMES)]));
}

/** The packages with the paths of their files, downloaded unless they are cached. Throws where a checksum differs. */
export function fetchPackages(packages, arch) {
  const files = packages.map((each) => ({
    ...each,
    path: join(cacheFolder('debian'), `${each.sha256}.deb`),
  }));
  const missing = files.filter(({ path, sha256 }) => !existsSync(path) || sha256Of(path) !== sha256);
  if (missing.length > 0) privateApt(arch).download(missing);
  return files;
}

const sha256Of = (path) => digestOf(path, 'sha256', 'hex');

/**
 * apt with lists of its own, so that it needs no rights, changes nothing on this machine, and sees the suite and the
 * architecture of the image whatever this machine runs. Its servers are those of this machine's own sources.
 */
function privateApt(arch) {
  const root = cacheFolder('apt', arch);
  mkdirSync(join(root, 'state/lists/partial'), { recursive: true });
  mkdirSync(join(root, 'cache/archives/partial'), { recursive: true });
  writeFileSync(join(root, 'status'), '');
  writeFileSync(join(root, 'sources.list'), sourcesOf(SUITE));
  const options = [
    `APT::Architecture=${arch}`,
    `APT::Architectures=${arch}`,
    `Dir::State=${join(root, 'state')}`,
    `Dir::State::status=${join(root, 'status')}`,
    `Dir::Cache=${join(root, 'cache')}`,
    // Images of Debian leave it out, and apt would read the lists anew each time.
    'Dir::Cache::pkgcache=packages.bin',
    `Dir::Etc::sourcelist=${join(root, 'sources.list')}`,
    'Dir::Etc::sourceparts=-',
    'Acquire::Languages=none',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    // The user to which apt drops root can't write to the cache of root.
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
  ].flatMap((option) => ['-o', option]);
  run('apt-get', [...options, '-qq', 'update']);

  return {
    newest(names) {
      const shown = run('apt-cache', [...options, 'show', '--no-all-versions', ...names]).split('\n\n');
      const field = (entry, key) => new RegExp(`^${key}: (.*)$`, 'm').exec(entry)?.[1];
      return names.map((name) => {
        const entry = shown.find((text) => field(text, 'Package') === name);
        if (entry === undefined) throw new Error(`Debian ${SUITE} has no package ${name} for ${arch}.`);
        return { name, version: field(entry, 'Version'), sha256: field(entry, 'SHA256') };
      });
    },
    download(packages) {
      const folder = mkdtempSync(join(cacheFolder('debian'), 'new-'));
      const titles = packages.map(({ name, version }) => `${name}=${version}`);
      try {
        run('apt-get', [...options, 'download', ...titles], { cwd: folder }, GONE);
        keep(folder, packages);
      } finally {
        rmSync(folder, { recursive: true });
      }
    },
  };
}

/** Each file goes where its checksum says; a package whose checksum no file has is not what the lock means. */
function keep(folder, packages) {
  const files = new Map(
    readdirSync(folder).map((name) => [sha256Of(join(folder, name)), join(folder, name)]),
  );
  for (const { name, version, sha256, path } of packages) {
    const file = files.get(sha256);
    if (file === undefined)
      throw new Error(`The checksum of ${name} ${version} is not that of packages.json.`);
    renameSync(file, path);
  }
}

/** Lines for the servers that this machine takes Debian from: the archive and its security updates. */
function sourcesOf(suite) {
  const format = '$(ORIGIN)|$(LABEL)|$(REPO_URI)';
  const targets = run('apt-get', ['indextargets', '--format', format, 'Created-By: Packages']);
  const found = targets
    .split('\n')
    .map((line) => line.split('|'))
    .filter(([origin]) => origin === 'Debian');
  const lines = found.map(([, label, uri]) => {
    const name = label === 'Debian-Security' ? `${suite}-security` : suite;
    return `deb [signed-by=${KEYS}] ${uri} ${name} main`;
  });
  if (lines.length === 0)
    throw new Error('apt has no lists of Debian. Run "apt-get update" as root on Debian 12 or newer.');
  return `${[...new Set(lines)].join('\n')}\n`;
}
