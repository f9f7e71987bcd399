// The files of the image, as a folder: a few of Debian, Node, and the standalone build. No shell and no package manager.
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { run } from './cache.mjs';
import { pathsIn } from './paths-in.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const standalone = join(repository, '.next/standalone');

/** Of the packages' files; libc6 has hundreds of tables for character sets, and the others have tools. */
const WANTED = [
  /^lib(64)?$/,
  /^usr\/lib64\/ld-linux[^/]*$/,
  /^usr\/lib\/ld-linux[^/]*$/,
  /^usr\/lib\/[^/]+-linux-gnu\/[^/]+\.so[^/]*$/,
  /^(etc|usr\/lib)\/os-release$/,
  /^etc\/debian_version$/,
  /^usr\/share\/doc\/[^/]+(\/copyright)?$/,
  /^usr\/share\/common-licenses\/[^/]+$/,
];
const CERTIFICATE = /^usr\/share\/ca-certificates\/mozilla\/.*\.crt$/;

/** Of the standalone build; its trace also finds sources of ours, which are in the bundles. */
const SERVED = ['.next', 'deploy/oam-rollout', 'docs', 'node_modules', 'package.json', 'public', 'server.js'];
/** They run without the sources of Shiplog. */
const SCRIPTS = ['entry.mjs', 'backup.mjs', 'support-bundle.mjs'];
/** Files in which the build writes the path of its folder. */
const WITH_PATH = ['server.js', '.next/required-server-files.json'];

const SYSTEM_FILES = {
  'etc/passwd': 'root:x:0:0:root:/:/nologin\nshiplog:x:65532:65532:Shiplog:/data:/nologin\n',
  'etc/group': 'root:x:0:\nshiplog:x:65532:\n',
  'etc/nsswitch.conf': 'passwd: files\ngroup: files\nhosts: files dns\n',
};
/** A volume goes over each; in a container with a writable root they serve without one. */
const WRITABLE = ['data', 'tmp'];

/**
 * Writes the files for one architecture into an empty folder.
 *
 * @param {string} root
 * @param {{ packages: { name: string, path: string }[], node: { path: string } }} parts
 */
export function writeRootfs(root, { packages, node }) {
  for (const [path, text] of Object.entries(SYSTEM_FILES)) write(root, path, text);
  const certificates = packages.flatMap((each) => addPackage(root, each));
  write(root, 'etc/ssl/certs/ca-certificates.crt', certificates.sort().join(''));
  addNode(root, node);
  addApp(join(root, 'app'));
  // The umask of whoever builds must not show.
  run('chmod', ['-R', 'u=rwX,go=rX', root]);
  for (const name of WRITABLE) {
    mkdirSync(join(root, name));
    chmodSync(join(root, name), 0o1777);
  }
}

/** Returns the certificates, which belong into one file. */
function addPackage(root, { name, path }) {
  return withFolder((folder) => {
    run('dpkg-deb', ['--extract', path, folder]);
    const certificates = [];
    for (const { path: file, isFolder } of pathsIn(folder)) {
      if (isFolder) continue;
      if (CERTIFICATE.test(file)) certificates.push(readFileSync(join(folder, file), 'utf8'));
      else if (WANTED.some((pattern) => pattern.test(file))) copy(join(folder, file), join(root, file));
    }
    // Where scanners look for the packages of an image without a package manager.
    write(root, `var/lib/dpkg/status.d/${name}`, run('dpkg-deb', ['--field', path]));
    return certificates;
  });
}

function addNode(root, { path }) {
  unpackOne(path, 'package/bin/node', join(root, 'usr/bin'));
  unpackOne(path, 'package/LICENSE', join(root, 'usr/share/doc/nodejs'));
}

function unpackOne(archive, name, folder) {
  mkdirSync(folder, { recursive: true });
  const depth = name.split('/').length - 1;
  run('tar', ['-xzf', archive, '--no-same-owner', `--strip-components=${depth}`, '-C', folder, name]);
}

function addApp(app) {
  for (const name of SERVED) {
    const from = join(standalone, name);
    if (existsSync(from)) cpSync(from, join(app, name), { recursive: true, verbatimSymlinks: true });
  }
  const builtIn = repository.replace(/\/$/, '');
  for (const name of WITH_PATH)
    writeFileSync(join(app, name), readFileSync(join(app, name), 'utf8').replaceAll(builtIn, '/app'));
  for (const name of SCRIPTS) copyFileSync(join(repository, 'deploy/image', name), join(app, name));
}

function write(root, path, text) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

/** Links stay links. */
function copy(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), to);
  else copyFileSync(from, to);
}

function withFolder(use) {
  const folder = mkdtempSync(join(tmpdir(), 'shiplog-image-'));
  try {
    return use(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
