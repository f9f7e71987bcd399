// How big the repository is: lines of TypeScript by part, circles of imports, and what nothing uses.
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const isTest = /\.test\.tsx?$|\/testing\/|^(test|e2e|bench)\//;
const isOfSandbox = /^sandbox\/|^e2e\/(controllers|sandbox)\//;

const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx'], { cwd: root, encoding: 'utf8' })
  .trim()
  .split('\n');
const lines = files.map((file) => [file, readFileSync(join(root, file), 'utf8').split('\n').length - 1]);
const sum = (has) => lines.reduce((total, [file, count]) => total + (has(file) ? count : 0), 0);

const cruised = JSON.parse(run('depcruise', ['.', '--output-type=json']));
const unused = JSON.parse(run('knip', ['--reporter=json', '--no-exit-code'])).issues;

const rows = {
  'product (without tests, sandbox, scripts)': sum((file) => !isTest.test(file) && !isOfSandbox.test(file)),
  'sandbox with its unit and conformance tests': sum((file) => isOfSandbox.test(file)),
  everything: sum(() => true),
  'files of TypeScript': files.length,
  'imports against the order of folders, or in a circle': cruised.summary.violations.length,
  'files, exports and dependencies that nothing uses': unused
    .flatMap((issue) => Object.values(issue).filter(Array.isArray))
    .reduce((total, found) => total + found.length, 0),
};
for (const [what, count] of Object.entries(rows)) console.log(`${String(count).padStart(8)}  ${what}`);

function run(program, args) {
  const options = { cwd: root, encoding: 'utf8', maxBuffer: 1e9 };
  return spawnSync(join(root, 'node_modules/.bin', program), args, options).stdout;
}
