// Installs what the lock file names when it has changed; with --without-tests not what only tests need. Runs on any
// installed Node (20 or newer) before any installation, so it uses only Node's own modules and old syntax.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const stampPath = join(root, 'node_modules', '.shiplog-install');
const RUNTIME_MAJOR = 24;
const forTests = !process.argv.includes('--without-tests');

const whole = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .update(`${process.platform} ${process.arch}`)
  .digest('hex');
const part = `${whole} without tests`;
const installed = existsSync(stampPath) ? readFileSync(stampPath, 'utf8') : '';

if (installed !== whole && (forTests || installed !== part)) {
  console.log('Installing dependencies (about a minute the first time)…');
  // The runtime itself is an optional dependency. No package of ours needs its scripts, and the machine may have a
  // kubeconfig that they could read.
  const dev = forTests ? '--include=dev' : '--omit=dev';
  const npm = spawnSync('npm', ['ci', dev, '--include=optional', '--ignore-scripts', '--loglevel=error'], {
    cwd: root,
    stdio: 'inherit',
    shell: process.platform === 'win32',
  });
  if (npm.status !== 0) {
    console.error('The dependencies could not be installed: see the message of npm above.');
    process.exit(npm.status || 1);
  }
  writeFileSync(stampPath, forTests ? whole : part);
}

const delivered = join(root, 'node_modules', '.bin', 'node');
const major = Number(process.versions.node.split('.')[0]);
if (major < RUNTIME_MAJOR && !existsSync(delivered)) {
  console.error(
    `Shiplog runs on Node ${RUNTIME_MAJOR}. On ${process.platform}-${process.arch} it cannot install its own, and this is ` +
      `${process.versions.node}: install Node ${RUNTIME_MAJOR} from https://nodejs.org and try again.`,
  );
  process.exit(1);
}
