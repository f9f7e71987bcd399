// Builds the container image without a container runtime: an OCI layout, or its files as a folder for docker.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildIfStale } from './build.mjs';
import { ARCHITECTURES, currentPackages, fetchPackages, readLock, updateLock } from './image/debian.mjs';
import { readDockerfile } from './image/dockerfile.mjs';
import { createdAt, labelsOf, version } from './image/labels.mjs';
import { fetchNode } from './image/node-binary.mjs';
import { writeLayout } from './image/oci-layout.mjs';
import { writeRootfs } from './image/rootfs.mjs';
import { sbomOf } from './image/sbom.mjs';

const USAGE = `npm run image -- --out DIR | --rootfs DIR | --update-lock

  --out DIR        write an OCI layout, with a bill of materials for each architecture beside it
  --rootfs DIR     write the files of the image as a folder, for deploy/image/Dockerfile
  --arch LIST      ${ARCHITECTURES.join(',')} by default; --rootfs takes one, by default that of this machine
  --newest         take the newest Debian packages instead of those that the lock names
  --update-lock    make deploy/image/packages.json name the newest Debian packages

docs/image.md has more.`;

try {
  const { values: flags } = parseArgs({
    options: {
      help: { type: 'boolean' },
      out: { type: 'string' },
      rootfs: { type: 'string' },
      arch: { type: 'string' },
      newest: { type: 'boolean' },
      'update-lock': { type: 'boolean' },
    },
  });
  if (flags['update-lock']) reportUpdate(updateLock());
  else if (flags.out !== undefined) await writeOut(emptyFolder(flags.out), flags);
  else if (flags.rootfs !== undefined) writeFolder(emptyFolder(flags.rootfs), flags);
  else console.log(USAGE);
} catch (error) {
  console.error(`The image was not built. ${error.message}`);
  process.exitCode = 1;
}

async function writeOut(folder, { arch = ARCHITECTURES.join(','), newest }) {
  const created = createdAt();
  const scratch = mkdtempSync(join(tmpdir(), 'shiplog-image-'));
  try {
    buildIfStale();
    const images = partsOf(arch.split(','), newest).map((parts) => {
      const root = join(scratch, parts.arch);
      mkdirSync(root);
      writeRootfs(root, parts);
      const sbom = join(folder, `sbom-${parts.arch}.cdx.json`);
      writeFileSync(sbom, `${JSON.stringify(sbomOf(parts, created), null, 2)}\n`);
      return { arch: parts.arch, root, config: readDockerfile(), labels: labelsOf(parts, created) };
    });
    const { digest, sizes } = await writeLayout(folder, version, created, images);
    for (const [arch, bytes] of Object.entries(sizes))
      console.log(`${arch}: ${(bytes / 1e6).toFixed(1)} MB compressed`);
    console.log(`${folder}:${version} is ${digest}`);
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function writeFolder(folder, { arch = process.arch === 'arm64' ? 'arm64' : 'amd64', newest }) {
  buildIfStale();
  const [parts] = partsOf([arch], newest);
  writeRootfs(folder, parts);
  const labels = Object.entries(labelsOf(parts, createdAt())).map(
    ([name, value]) => `--label '${name}=${value}'`,
  );
  const command = [
    'docker build --file deploy/image/Dockerfile',
    `--platform linux/${arch}`,
    ...labels,
    folder,
  ];
  console.log(`Wrote the files. For an image of them:\n\n${command.join(' \\\n  ')}`);
}

/** What each image is made of; downloads what is missing. */
function partsOf(architectures, newest = false) {
  const unknown = architectures.find((arch) => !ARCHITECTURES.includes(arch));
  if (unknown !== undefined)
    throw new Error(`--arch has "${unknown}"; there are ${ARCHITECTURES.join(' and ')}.`);
  const lock = newest ? currentPackages() : readLock();
  return architectures.map((arch) => ({
    arch,
    packages: fetchPackages(lock[arch], arch),
    node: fetchNode(arch),
  }));
}

function emptyFolder(path) {
  const folder = resolve(path);
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name a new folder.`);
  mkdirSync(folder, { recursive: true });
  return folder;
}

function reportUpdate(changed) {
  if (changed.length === 0) console.log('deploy/image/packages.json is up to date.');
  else console.log(`deploy/image/packages.json now has ${changed.join(', ')}.`);
}
