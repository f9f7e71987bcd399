// Makes the folder of the image's files into layers: the same bytes for the same files, whenever and by whomever.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createWriteStream, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { pathsIn } from './paths-in.mjs';

/** From what seldom changes to what each version changes, so that an upgrade loads the last one alone. */
const LAYERS = [
  { title: 'Debian', has: (path) => !isNode(path) && !isApp(path) },
  { title: 'Node', has: isNode },
  { title: 'Shiplog', has: isApp },
];

function isNode(path) {
  return path === 'usr/bin/node' || /^usr\/share\/doc\/nodejs(\/|$)/.test(path);
}

function isApp(path) {
  return /^app(\/|$)/.test(path);
}

/** Writes each as a blob; returns their descriptors and the digests of what is in them, first layer first. */
export async function writeLayers(root, blobs) {
  const paths = pathsIn(root).map(({ path }) => path);

  return Promise.all(
    LAYERS.map(async ({ title, has }) => ({ title, ...(await writeLayer(root, paths.filter(has), blobs)) })),
  );
}

async function writeLayer(root, paths, blobs) {
  const tar = spawn('tar', tarOptions, { cwd: root, stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = new Promise((resolve, reject) => tar.once('error', reject).once('close', resolve));
  tar.stdin.end(paths.join('\0'));
  const [inside, outside] = [digestStream(), digestStream()];
  const file = join(blobs, `layer-${process.pid}-${paths[0].replaceAll('/', '-')}`);
  // Node writes neither name nor time into the head.
  await pipeline(tar.stdout, inside.stream, createGzip(), outside.stream, createWriteStream(file));
  if ((await ended) !== 0) throw new Error('tar failed: see its message above.');
  const digest = outside.digest();
  renameSync(file, join(blobs, digest.slice('sha256:'.length)));
  return {
    diffId: inside.digest(),
    descriptor: {
      mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
      digest,
      size: statSync(join(blobs, digest.slice('sha256:'.length))).size,
    },
  };
}

/** Everything belongs to root, since nothing of it is to be written. */
const tarOptions = [
  ...['--create', '--file=-', '--format=gnu', '--no-recursion', '--null', '--files-from=-'],
  ...['--owner=0', '--group=0', '--numeric-owner', '--mtime=@0', '--hard-dereference'],
];

/** Passes on what it reads; knows its digest at the end. */
function digestStream() {
  const hash = createHash('sha256');
  const stream = new PassThrough();
  stream.on('data', (chunk) => hash.update(chunk));
  return { stream, digest: () => `sha256:${hash.digest('hex')}` };
}
