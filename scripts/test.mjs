// Every check, cheapest first: lint, types, build, unit, then the suites on the sandbox, on the real control plane and in
// the browser. Ends with one line that counts them.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { ensureChromium } from './chromium.mjs';
import { startPostgres } from './postgres.mjs';
import { ensureRunc } from './runc.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = join(root, 'test-results');
const bin = (path) => join(root, 'node_modules', path);
const isCi = process.env.CI === 'true';

const count = { passed: 0, failed: 0 };
const failures = [];

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

// Lint occupies one core for longer than the other checks take on the second.
await Promise.all([
  check(
    'lint',
    [bin('eslint/bin/eslint.js'), '.', '--max-warnings=0'],
    [bin('dependency-cruiser/bin/dependency-cruiser.mjs'), '.', '--output-type=err'],
    [bin('knip/bin/knip.js')],
  ),
  checkOthers().then(unitSuite),
]);

const hasGo = await runs('go', ['version']);
const hasKubectl = hasGo || (await runs('kubectl', ['version', '--client']));

if (!hasGo)
  leaveOut(
    'real',
    'Go',
    'the real control plane is built with it; nothing is compared with Kubernetes itself',
  );
if (!hasGo) leaveOut('chart', 'Go', 'helm is built with it; the chart is neither rendered nor installed');
if (!hasKubectl) leaveOut('browser', 'kubectl', 'what pages show is changed and checked with it');
if (ensureRunc() === undefined) leaveOut('image', 'runc, or root to run it,', 'no container is started');
// Each waits for its clusters half of the time.
await Promise.all([suite('cluster', clusterSuites(), readVitest), ...(hasKubectl ? [browserSuite()] : [])]);

for (const line of failures) console.log(`failed: ${line}`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 ? 0 : 1;

async function checkOthers() {
  await check('format', [bin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.']);
  await check('size', ['scripts/size.mjs']);
  await check('types', [bin('next/dist/bin/next'), 'typegen'], [bin('typescript/bin/tsc'), '--noEmit']);
  await check('build', ['scripts/build.mjs']);
}

/** With one PostgreSQL for all files; without any, the suites that need it say so, or fail on CI. */
async function unitSuite() {
  const postgres = await startPostgres({ mayInstall: true });
  const env = { SHIPLOG_TEST_DATABASE_URL: postgres?.url ?? '' };
  await suite('unit', { ...vitest('vitest.config.ts', 'unit'), env }, readVitest);
  await postgres?.stop();
}

async function browserSuite() {
  const chromium = ensureChromium();
  if (chromium === undefined) {
    fail(
      'browser',
      'no Chromium was found, and none could be installed. Install one and set CHROMIUM_PATH to it.',
    );
    return;
  }
  const env = { CHROMIUM_PATH: chromium };
  // Printed at its end, since the other suites print meanwhile.
  const output = ['\n── browser\n'];
  await suite('browser', { args: [bin('@playwright/test/cli.js'), 'test'], env, output }, readPlaywright);
  console.log(output.join(''));
}

/**
 * Commands that only pass or fail count as one check. Their output is printed at once, since others run in parallel.
 */
async function check(name, ...commands) {
  const output = [`\n── ${name}`];
  let code = 0;
  for (const args of commands) {
    if (code === 0) code = await run(args, {}, output);
  }
  console.log(output.join(''));
  if (code === 0) count.passed += 1;
  else fail(name, output.join('').trimEnd().split('\n').slice(-8).join('\n    '));
}

async function suite(name, { args, env, output }, read) {
  if (output === undefined) console.log(`\n── ${name}`);
  const code = await run(args, env, output);
  const result = read(name);
  count.passed += result.passed;
  for (const test of result.failed) fail(name, test);
  // A suite that died, or ran nothing, has failed whatever it reports.
  if (result.failed.length === 0 && (code !== 0 || result.passed === 0)) {
    fail(name, `ended with code ${code} and ${result.passed} tests passed.`);
  }
}

/** The suites on the sandbox and on the real control plane; without Go all of them on the sandbox. */
function clusterSuites() {
  const options = hasGo ? {} : { args: ['--project=sandbox'], env: { SHIPLOG_EVERYTHING: '1' } };
  return vitest('vitest.cluster.config.ts', 'cluster', options);
}

function vitest(config, name, { args = [], env } = {}) {
  return {
    env,
    args: [
      bin('vitest/vitest.mjs'),
      'run',
      `--config=${config}`,
      ...args,
      '--reporter=dot',
      '--reporter=json',
      `--outputFile.json=${join(reports, `${name}.json`)}`,
    ],
  };
}

/** How many tests passed, and what the last lines of the output say about each other one. */
function readVitest(name) {
  const { numPassedTests: passed = 0, testResults = [] } = readReport(name);
  const failed = testResults
    .filter(({ status }) => status === 'failed')
    .flatMap((file) => {
      const tests = file.assertionResults.filter(({ status }) => status === 'failed');
      const path = relative(root, file.name);
      // A file that could not be set up has no failed tests.
      if (tests.length === 0) return [`${path}: ${firstLines(file.message)}`];
      return tests.map((test) => `${path} › ${test.fullName}: ${firstLines(test.failureMessages[0])}`);
    });
  return { passed, failed };
}

function readPlaywright(name) {
  const { stats = {}, suites = [] } = readReport(name);
  const specs = (suite) => [...(suite.specs ?? []), ...(suite.suites ?? []).flatMap(specs)];
  const failed = suites
    .flatMap(specs)
    .filter(({ ok }) => !ok)
    .map(({ file, title, tests }) => {
      const error = tests.flatMap(({ results }) => results).find(({ error }) => error !== undefined)?.error;
      return `${file} › ${title}: ${firstLines(error?.message)}`;
    });
  return { passed: stats.expected ?? 0, failed };
}

function firstLines(message = '') {
  return stripVTControlCharacters(message).split('\n').slice(0, 6).join('\n    ');
}

function readReport(name) {
  try {
    return JSON.parse(readFileSync(join(reports, `${name}.json`), 'utf8'));
  } catch {
    return {};
  }
}

function fail(name, why) {
  count.failed += 1;
  failures.push(`${name}: ${why}`);
}

/** Its output is printed as it arrives, or added to `output` where that is given. */
function run(args, env = {}, output = undefined) {
  return new Promise((resolve) => {
    const to = output === undefined ? 'inherit' : 'pipe';
    const child = spawn(process.execPath, args, {
      cwd: root,
      stdio: ['ignore', to, to],
      env: { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env },
    });
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => output.push(text));
    child.on('close', (code, signal) => resolve(code ?? `signal ${signal}`));
  });
}

/** Skipped suites of a green run on CI go unnoticed. */
function leaveOut(name, program, why) {
  if (isCi) return fail(name, `${program} is missing: ${why}.`);
  console.log(`\n!!! ${program} is missing, and ${why}: the suite "${name}" was LEFT OUT.`);
  if (program === 'Go') console.log('!!! Install Go 1.26 or newer from https://go.dev/dl to run it.\n');
}

function runs(program, args) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { stdio: 'ignore' });
    child.on('error', () => resolve(false));
    child.on('exit', (code) => resolve(code === 0));
  });
}
