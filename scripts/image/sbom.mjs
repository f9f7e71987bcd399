// The bill of materials of an image, as CycloneDX: npm's own for what the build is made of, with Node and Debian added.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './cache.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));

/**
 * @param {{ arch: string, node: { version: string }, packages: { name: string, version: string, sha256: string }[] }} image
 * @param {string} created
 */
export function sbomOf({ arch, node, packages }, created) {
  const { metadata, components, dependencies, ...rest } = ofNpm();
  const left = new Set(components.filter(isLeftOut).map((component) => component['bom-ref']));
  const kept = (ref) => !left.has(ref);

  return {
    ...rest,
    // Another one each time would be another file each time.
    serialNumber: undefined,
    // npm names the component after its folder.
    metadata: { ...metadata, timestamp: created, component: { ...metadata.component, name: 'shiplog' } },
    components: [
      ...components.filter((component) => kept(component['bom-ref'])),
      nodeComponent(node),
      ...packages.map((each) => debianComponent(each, arch)),
    ],
    dependencies: dependencies
      .filter(({ ref }) => kept(ref))
      .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter(kept) })),
  };
}

function ofNpm() {
  const options = ['--sbom-format=cyclonedx', '--omit=dev', '--package-lock-only', '--loglevel=error'];
  return JSON.parse(run('npm', ['sbom', ...options], { cwd: repository }));
}

/** Native code, which only a development machine runs, and sharp, which the build leaves out. */
function isLeftOut({ name, version }) {
  return /^(sharp$|@img\/)/.test(name) || natives.has(`${name}@${version}`);
}

const natives = new Set(
  Object.entries(JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8')).packages)
    .filter(([, { os, cpu }]) => os !== undefined || cpu !== undefined)
    .map(([path, { version }]) => `${path.split('node_modules/').at(-1)}@${version}`),
);

function nodeComponent({ version }) {
  return {
    'bom-ref': `node@${version}`,
    type: 'application',
    name: 'node',
    version,
    purl: `pkg:generic/node@${version}`,
    cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*`,
  };
}

function debianComponent({ name, version, sha256 }, arch) {
  const purl = `pkg:deb/debian/${name}@${encodeURIComponent(version)}?arch=${arch}&distro=debian-13`;
  return {
    'bom-ref': purl,
    type: 'library',
    name,
    version,
    purl,
    hashes: [{ alg: 'SHA-256', content: sha256 }],
  };
}
