// Writes an OCI image layout: https://github.com/opencontainers/image-spec/blob/main/image-layout.md
import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeLayers } from './layers.mjs';

const INDEX = 'application/vnd.oci.image.index.v1+json';

/**
 * Writes one image for each architecture, and an index over them with this tag.
 *
 * @param {string} folder is empty
 * @param {{ arch: string, root: string, config: object, labels: Record<string, string> }[]} images
 * @returns the digest of the index, which is that of the image in a registry, and the compressed size of each image
 */
export async function writeLayout(folder, tag, created, images) {
  const blobs = join(folder, 'blobs/sha256');
  mkdirSync(blobs, { recursive: true });
  const manifests = [];
  const sizes = {};
  // One after the other: each already uses two cores.
  for (const image of images) {
    const layers = await writeLayers(image.root, blobs);
    manifests.push(writeManifest(blobs, image, created, layers));
    sizes[image.arch] = layers.reduce((sum, { descriptor }) => sum + descriptor.size, 0);
  }
  const index = writeBlob(blobs, INDEX, { schemaVersion: 2, mediaType: INDEX, manifests });
  const tagged = { ...index, annotations: { 'org.opencontainers.image.ref.name': tag } };
  writeJson(join(folder, 'index.json'), { schemaVersion: 2, mediaType: INDEX, manifests: [tagged] });
  writeJson(join(folder, 'oci-layout'), { imageLayoutVersion: '1.0.0' });
  return { digest: index.digest, sizes };
}

function writeManifest(blobs, { arch, config, labels }, created, layers) {
  const configBlob = writeBlob(blobs, 'application/vnd.oci.image.config.v1+json', {
    created,
    architecture: arch,
    os: 'linux',
    config: { ...config, Labels: labels },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ title }) => ({ created, created_by: 'npm run image', comment: title })),
  });
  const mediaType = 'application/vnd.oci.image.manifest.v1+json';
  const manifest = writeBlob(blobs, mediaType, {
    schemaVersion: 2,
    mediaType,
    config: configBlob,
    layers: layers.map(({ descriptor }) => descriptor),
    annotations: labels,
  });
  return { ...manifest, platform: { architecture: arch, os: 'linux' } };
}

function writeBlob(blobs, mediaType, content) {
  const text = JSON.stringify(content);
  const hex = createHash('sha256').update(text).digest('hex');
  writeFileSync(join(blobs, hex), text);
  return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(text) };
}

function writeJson(path, content) {
  writeFileSync(path, `${JSON.stringify(content)}\n`);
}
