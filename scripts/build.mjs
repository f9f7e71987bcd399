// Builds the production server when a source has changed since the last build.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampPath = join(root, '.next', 'shiplog-build');
const inputs = [
  'app',
  'components',
  'lib',
  'server',
  'public',
  'deploy/oam-rollout/policy.yaml',
  'instrumentation.ts',
  'proxy.ts',
  'next.config.js',
  'postcss.config.mjs',
  'tsconfig.json',
  'package.json',
  'package-lock.json',
];

/** Builds if required; returns whether it did. */
export function buildIfStale() {
  const wanted = hashOf(inputs);
  const built = existsSync(stampPath) ? readFileSync(stampPath, 'utf8') : '';
  if (built === wanted) return false;
  console.log('Building Shiplog (about 30 s)…');
  const next = spawnSync(process.execPath, [join(root, 'node_modules/next/dist/bin/next'), 'build'], {
    cwd: root,
    stdio: 'inherit',
    env: { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' },
  });
  if (next.status !== 0) throw new Error('The build failed: see the messages above.');
  // The standalone server serves these itself, but the build does not copy them.
  cpSync(join(root, '.next/static'), join(root, '.next/standalone/.next/static'), { recursive: true });
  if (existsSync(join(root, 'public'))) {
    cpSync(join(root, 'public'), join(root, '.next/standalone/public'), { recursive: true });
  }
  writeFileSync(stampPath, wanted);
  return true;
}

function hashOf(paths) {
  const hash = createHash('sha256').update(process.version);
  for (const path of paths) addTo(hash, path);
  return hash.digest('hex');
}

function addTo(hash, path) {
  const full = join(root, path);
  if (!existsSync(full)) return;
  if (statSync(full).isDirectory()) {
    for (const name of readdirSync(full).sort()) addTo(hash, join(path, name));
    return;
  }
  if (/\.test\.tsx?$/.test(path)) return;
  hash.update(`${path}\0`).update(readFileSync(full));
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  try {
    if (!buildIfStale()) console.log('The build is up to date.');
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
