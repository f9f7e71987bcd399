// The scenarios of `npm test` that take long, with many rounds: SHIPLOG_ROUNDS=n overrides their number.
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { buildIfStale } from './build.mjs';

const ROUNDS = '50';
const root = fileURLToPath(new URL('..', import.meta.url));

buildIfStale();
const run = spawnSync(
  process.execPath,
  [
    'node_modules/vitest/vitest.mjs',
    'run',
    '--config=vitest.cluster.config.ts',
    'e2e/cluster/reliability.test.ts',
  ],
  {
    cwd: root,
    stdio: 'inherit',
    env: {
      ...process.env,
      SHIPLOG_ROUNDS: process.env.SHIPLOG_ROUNDS ?? ROUNDS,
      NEXT_TELEMETRY_DISABLED: '1',
    },
  },
);
process.exitCode = run.status ?? 1;
