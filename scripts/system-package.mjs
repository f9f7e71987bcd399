// Installs a program that only tests need.
import { spawnSync } from 'node:child_process';

/** From Debian's package, where we can install packages: as root, or with sudo without a password. Returns whether it did. */
export function installPackage(title, name) {
  if (process.platform !== 'linux' || !works('apt-get', ['--version'])) return false;
  const isRoot = process.getuid?.() === 0;
  if (!isRoot && !works('sudo', ['-n', 'true'])) return false;
  const prefix = isRoot ? [] : ['sudo', '-n'];
  console.log(`Installing ${title} with apt-get…`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const steps = [
    ['apt-get', 'update', '-qq'],
    ['apt-get', 'install', '-y', '-qq', '--no-install-recommends', name],
  ];
  return steps.every((step) => {
    const [command, ...args] = [...prefix, ...step];
    return spawnSync(command, args, { stdio: ['ignore', 'ignore', 'inherit'], env }).status === 0;
  });
}

function works(command, args) {
  return spawnSync(command, args, { stdio: 'ignore' }).status === 0;
}
