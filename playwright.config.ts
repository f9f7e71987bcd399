import { defineConfig, devices } from '@playwright/test';
import { signedIn } from './e2e/support/local-key';

// As root in a container Chromium has no sandbox; its own network requests only fail and slow it down.
const args = [
  ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

// The pages do not depend on the cluster; `npm run soak` runs the same on the real control plane.
process.env.SHIPLOG_TEST_CLUSTER ??= 'sandbox';

export default defineConfig({
  testDir: 'e2e/browser',
  outputDir: 'test-results/browser',
  globalSetup: './e2e/browser/setup.ts',
  // The specs share one cluster and two cores.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env.CI === 'true',
  retries: 0,
  // Generous: beside the other suites a page may get a tenth of a core, and a test that waits for a condition ends when it
  // holds.
  timeout: 600_000,
  expect: { timeout: 120_000 },
  reporter: [['list'], ['json', { outputFile: 'test-results/browser.json' }]],
  use: {
    ...devices['Desktop Chrome'],
    extraHTTPHeaders: signedIn,
    // Wide enough for every column.
    viewport: { width: 1440, height: 900 },
    // A failure is reported with a screenshot. A trace costs a third of the time: request one with `--trace on`.
    screenshot: 'only-on-failure',
    launchOptions: { executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium', args },
  },
});
