// What the image says about itself: versions of its parts, and the commit that it was built from.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { spawnSync } from 'node:child_process';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const { version, license, description } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
const { packages } = JSON.parse(readFileSync(join(repository, 'package-lock.json'), 'utf8'));

export { version };

/** Names of the specification, and ours for the parts. https://github.com/opencontainers/image-spec/blob/main/annotations.md */
export function labelsOf({ node, packages: debian }, created) {
  return {
    'org.opencontainers.image.title': 'Shiplog',
    'org.opencontainers.image.description': description,
    'org.opencontainers.image.licenses': license,
    'org.opencontainers.image.version': version,
    'org.opencontainers.image.created': created,
    ...revision(),
    'dev.shiplog.version.node': node.version,
    'dev.shiplog.version.next': packages['node_modules/next'].version,
    ...Object.fromEntries(debian.map(({ name, version }) => [`dev.shiplog.version.${name}`, version])),
  };
}

/** The time of the commit and not that of the build, so that one commit makes one image. */
export function createdAt() {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct') ?? '0';
  return new Date(Number(seconds) * 1000).toISOString();
}

/** Absent where the sources are no working copy of git. */
function revision() {
  const hash = git('rev-parse', 'HEAD');
  if (hash === undefined) return {};
  const isChanged = git('status', '--porcelain') !== '';
  return { 'org.opencontainers.image.revision': isChanged ? `${hash}-dirty` : hash };
}

function git(...args) {
  const { status, stdout } = spawnSync('git', args, { cwd: repository, encoding: 'utf8' });
  return status === 0 ? stdout.trim() : undefined;
}
