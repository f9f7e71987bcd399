// Finds a Chromium for the browser tests, or installs the system's.
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const places = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/opt/google/chrome/chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of a Chromium or Chrome, or undefined when there is none and none can be installed. */
export function ensureChromium() {
  const given = process.env.CHROMIUM_PATH;
  if (given) {
    if (existsSync(given)) return given;
    console.error(`CHROMIUM_PATH names ${given}, which does not exist.`);
    return undefined;
  }
  return findChromium() ?? (installChromium() ? findChromium() : undefined);
}

function findChromium() {
  return places.find((path) => existsSync(path));
}

/** Debian's package, where we can install packages: as root, or with sudo without a password. */
function installChromium() {
  if (process.platform !== 'linux' || !works('apt-get', ['--version'])) return false;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !works('sudo', ['-n', 'true'])) return false;
  const prefix = isRoot ? [] : ['sudo', '-n'];
  console.log('Installing Chromium with apt-get…');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const steps = [
    ['apt-get', 'update', '-qq'],
    ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', 'chromium'],
  ];
  return steps.every((step) => {
    const [command, ...args] = [...prefix, ...step];
    return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
  });
}

function works(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
