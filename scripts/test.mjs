// Every check, in the order in which they are cheapest to fail: lint, types, unit, build, the suites on the sandbox and
// on the real control plane, the browser.
// Ends with one line that counts them.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureChromium } from './chromium.mjs';
import { startPostgres } from './postgres.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const reports = join(root, 'test-results');
const bin = (path) => join(root, 'node_modules', path);
const isCi = process.env.CI === 'true';

const count = { passed: 0, failed: 0 };
const failures = [];
const flaky = [];
/** More than that is no bad luck. */
const SECOND_CHANCES = 3;

rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

// Each of them keeps one core busy.
await Promise.all([
  check('lint', [bin('eslint/bin/eslint.js'), '.', '--max-warnings=0']),
  check('format', [bin('prettier/bin/prettier.cjs'), '--check', '--log-level=warn', '.']).then(() =>
    check('types', [bin('next/dist/bin/next'), 'typegen'], [bin('typescript/bin/tsc'), '--noEmit']),
  ),
]);
await unitSuite();
await check('build', ['scripts/build.mjs']);

const hasGo = await runs('go', ['version']);
const hasKubectl = hasGo || (await runs('kubectl', ['version', '--client']));

await suite('cluster', clusterSuites(), readVitest, { again: clusterSuites });
if (!hasGo)
  leaveOut(
    'real',
    'Go',
    'the real control plane is built with it; nothing is compared with Kubernetes itself',
  );
if (hasKubectl) await browserSuite();
else leaveOut('browser', 'kubectl', 'what pages show is changed and checked with it');

for (const line of flaky) console.log(`flaky: ${line}`);
for (const line of failures) console.log(`failed: ${line}`);
console.log(`${count.passed} passed, ${count.failed} failed`);
process.exitCode = count.failed === 0 ? 0 : 1;

/** With one PostgreSQL for all files; without any, the suites that want it say so, or fail on CI. */
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
  const command = (files) => ({ args: [bin('@playwright/test/cli.js'), 'test', ...files], env });
  await suite('browser', command([]), readPlaywright, { again: command });
}

/** Commands that only pass or fail count as one check. Their output comes in one piece, since others run beside them. */
async function check(name, ...commands) {
  const output = [`\n── ${name}`];
  let code = 0;
  for (const args of commands) {
    if (code === 0) code = await run(args, {}, output);
  }
  console.log(output.join(''));
  if (code === 0) count.passed += 1;
  else fail(name, 'see its output above.');
}

/**
 * Where `again` is given, the few files that failed run once more, alone and on clusters of their own: many processes
 * share two cores here, and one late answer must not hide what the other tests say. What passes then is named as flaky,
 * and wants to be mended.
 */
async function suite(name, { args, env }, read, { again } = {}) {
  console.log(`\n── ${name}`);
  const code = await run(args, env);
  const result = read(name);
  count.passed += result.passed;
  if (again !== undefined && result.failed > 0 && result.failedFiles.length <= SECOND_CHANCES) {
    await secondChance(name, result, read, again);
    return;
  }
  count.failed += result.failed;
  if (result.failed > 0) failures.push(`${name}: ${result.failed} tests`);
  // A suite that died, or ran nothing, has failed whatever it reports.
  if ((code !== 0 && result.failed === 0) || result.passed + result.failed === 0) {
    fail(name, `ended with code ${code} and ${result.passed} tests passed.`);
  }
}

async function secondChance(name, { failed, failedFiles, failedTests }, read, again) {
  console.log(`\n── ${name}, once more: ${failedFiles.join(', ')}`);
  renameSync(join(reports, `${name}.json`), join(reports, `${name}-first.json`));
  const { args, env } = again(failedFiles);
  const code = await run(args, env);
  const result = read(name);
  if (code === 0 && result.failed === 0 && result.passed >= failed) {
    count.passed += failed;
    flaky.push(...failedTests.map((test) => `${name}: ${test}`));
    return;
  }
  count.failed += failed;
  failures.push(`${name}: ${failed} tests, and ${result.failed} when their files ran again`);
}

/** The suites on the sandbox and on the real control plane; without Go all of them on the sandbox. */
function clusterSuites(files = []) {
  const options = hasGo ? {} : { args: ['--project=sandbox'], env: { SHIPLOG_EVERYTHING: '1' } };

  return vitest('vitest.cluster.config.ts', 'cluster', {
    ...options,
    args: [...(options.args ?? []), ...files],
  });
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

function readVitest(name) {
  const { numPassedTests: passed = 0, numFailedTests = 0, testResults = [] } = readReport(name);
  const broken = testResults.filter(({ status }) => status === 'failed');
  return {
    passed,
    // A file that could not be set up has no failed tests.
    failed: numFailedTests === 0 ? broken.length : numFailedTests,
    failedFiles: broken.map((file) => relative(root, file.name)),
    failedTests: broken.map((file) => [relative(root, file.name), ...failedIn(file)].join(' › ')),
  };
}

function failedIn({ assertionResults }) {
  return assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName);
}

function readPlaywright(name) {
  const { stats = {}, suites = [] } = readReport(name);
  const broken = suites.map((suite) => ({ file: suite.file, tests: failedSpecs(suite) }));
  return {
    passed: stats.expected ?? 0,
    failed: stats.unexpected ?? 0,
    failedFiles: broken.filter(({ tests }) => tests.length > 0).map(({ file }) => file),
    failedTests: broken.flatMap(({ tests }) => tests),
  };
}

function failedSpecs({ specs = [], suites = [] }) {
  const own = specs.filter(({ ok }) => !ok).map(({ file, title }) => `${file} › ${title}`);
  return [...own, ...suites.flatMap(failedSpecs)];
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

/** Its output is shown as it comes, or added to `output` where that is given. */
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

/** Nobody reads what a green run on CI left out. */
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
