// Property tests with many more cases, of a new seed (SHIPLOG_CASES, SHIPLOG_SEED). Every suite on the sandbox and on
// the real control plane, the browser on both too, and slow tests with many rounds: SHIPLOG_ROUNDS=n overrides their
// number, SHIPLOG_KILL_ROUNDS=n that of killed processes.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';
import { ensureChromium } from './chromium.mjs';

const ROUNDS = '50';
const KILLS = '200';
const CASES = '20';
const root = fileURLToPath(new URL('..', import.meta.url));
const suites = ['node_modules/vitest/vitest.mjs', 'run', '--config=vitest.cluster.config.ts'];
const units = ['node_modules/vitest/vitest.mjs', 'run', '--test-timeout=600000'];
const archive = ['node_modules/vitest/vitest.mjs', 'run', 'server/archive/kill.test.ts'];
const browser = ['node_modules/@playwright/test/cli.js', 'test'];

buildIfStale();
const chromium = ensureChromium();
const kills = process.env.SHIPLOG_KILL_ROUNDS ?? KILLS;
const seed = process.env.SHIPLOG_SEED ?? String(Date.now() % 2 ** 31);
console.log(`SHIPLOG_SEED=${seed}`);
const results = [
  run(units, { SHIPLOG_SEED: seed, SHIPLOG_CASES: process.env.SHIPLOG_CASES ?? CASES }),
  run(archive, { SHIPLOG_ROUNDS: kills }),
  run(suites, { SHIPLOG_EVERYTHING: '1', SHIPLOG_KILL_ROUNDS: kills }),
];
if (chromium === undefined) {
  console.error(
    'No Chromium was found, and none could be installed. Install one and set CHROMIUM_PATH to it.',
  );
  results.push(1);
} else {
  for (const cluster of ['sandbox', 'real'])
    results.push(run(browser, { SHIPLOG_TEST_CLUSTER: cluster, CHROMIUM_PATH: chromium }));
}
process.exitCode = results.every((code) => code === 0) ? 0 : 1;

function run(args, env) {
  const { status } = spawnSync(process.execPath, args, {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      SHIPLOG_ROUNDS: process.env.SHIPLOG_ROUNDS ?? ROUNDS,
      NEXT_TELEMETRY_DISABLED: '1',
      ...env,
    },
  });

  return status ?? 1;
}
