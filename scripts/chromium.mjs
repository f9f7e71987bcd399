// Finds a Chromium for the browser tests, or installs the system's.
import { existsSync } from 'node:fs';
import { installPackage } from './system-package.mjs';

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
  return findChromium() ?? (installPackage('Chromium', 'chromium') ? findChromium() : undefined);
}

function findChromium() {
  return places.find((path) => existsSync(path));
}
