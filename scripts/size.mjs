/**
 * How big the repository is, against the limits of size.json: exits with 1 where a number is above its limit. Whoever
 * lowers a number lowers its limit. All .ts, .tsx, .mjs and .js files count that git knows; a line ends with a newline.
 *
 * Tests are *.test.ts(x), testing/, test/, e2e/ and bench/. The sandbox is sandbox/ with its tests, and e2e/controllers
 * and e2e/sandbox. Product is the rest of .ts and .tsx: without tests and scripts. An importer is a file that is no test.
 *
 * - In a circle: files that import each other, imports of types included, and what lies between two circles.
 * - Product rules: import statements by which the sandbox, without its tests, uses a formula of the product, so that both
 *   would be wrong alike: of a folder of lib other than kube, api (shapes) and oam (of the controller that Shiplog ships).
 * - Short: at most 60 lines, neither test nor script, with one importer.
 * - Decides a state: a file of lib or server that names a type of the states of workloads or rollouts, and in which one of
 *   these states stands as the value of a member `state`, as an argument, or as what a function returns. A comparison
 *   decides nothing.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const root = fileURLToPath(new URL('..', import.meta.url));
const isTest = /\.test\.tsx?$|(^|\/)testing\/|^(test|e2e|bench)\//;
const isOfSandbox = /^sandbox\/|^e2e\/(controllers|sandbox)\//;
const isProduct = (path) => /\.tsx?$/.test(path) && !isTest.test(path) && !isOfSandbox.test(path);

const known = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.mjs', '*.js'], {
  cwd: root,
  encoding: 'utf8',
});
const paths = known
  .trim()
  .split('\n')
  .filter((path) => existsSync(join(root, path)));
const isKnown = new Set(paths);
const files = new Map(paths.map((path) => [path, readSource(path)]));
const all = [...files.values()];

const importers = Map.groupBy(
  all
    .filter(({ path }) => !isTest.test(path))
    .flatMap(({ path, imports }) => imports.map((to) => ({ path, to }))),
  ({ to }) => to,
);
const states = new Set([
  ...readList('lib/api/workload-values.ts', 'workloadStates'),
  ...readList('lib/api/rollout-values.ts', 'rolloutStates'),
]);

const lists = {
  short: all.filter(
    ({ path, lines }) =>
      lines <= 60 && /\.tsx?$/.test(path) && !isTest.test(path) && importers.get(path)?.length === 1,
  ),
  circles: findCircles(),
  rules: all
    .filter(({ path }) => path.startsWith('sandbox/') && !isTest.test(path))
    .flatMap(({ path, imports }) => imports.map((to) => ({ path: `${path} -> ${to}`, to })))
    .filter(({ to }) => /^lib\/(?!kube\/|api\/|oam\/)[^/]+\//.test(to)),
  decides: all.filter(
    ({ path, text }) => /^(lib|server)\//.test(path) && !isTest.test(path) && decidesState(path, text),
  ),
};
const sumLines = (found) => found.reduce((total, { lines }) => total + lines, 0);

const numbers = {
  'lines of everything': sumLines(all),
  'lines of the product': sumLines(all.filter(({ path }) => isProduct(path))),
  'lines of the sandbox with its tests': sumLines(all.filter(({ path }) => isOfSandbox.test(path))),
  files: all.length,
  'files in a circle of imports': lists.circles.length,
  'imports of product rules by the sandbox': lists.rules.length,
  'short files with one importer': lists.short.length,
  'members of WorkloadKind': countMembers('lib/workloads/kind.ts', 'WorkloadKind'),
  'files that decide a state': lists.decides.length,
};
const limits = JSON.parse(readFileSync(join(root, 'size.json'), 'utf8'));

// `npm run size short` lists what it counts; so do the other names of lists.
for (const { path } of lists[process.argv[2]] ?? []) console.log(path);
for (const [what, number] of Object.entries(numbers)) {
  const isAbove = !(number <= limits[what]);
  console.log(
    `${String(number).padStart(8)}  ${what}${isAbove ? `: above its limit of ${limits[what]}` : ''}`,
  );
  if (isAbove) process.exitCode = 1;
}

function readSource(path) {
  const text = readFileSync(join(root, path), 'utf8');
  const imports = ts
    .preProcessFile(text, true, true)
    .importedFiles.map(({ fileName }) => resolve(path, fileName));
  return { path, text, lines: text.split('\n').length - 1, imports: [...new Set(imports.filter(Boolean))] };
}

/** The file of the repository that an import names; undefined for a package. */
function resolve(from, name) {
  if (!/^(@\/|\.)/.test(name)) return undefined;
  const base = name.startsWith('@/') ? name.slice(2) : relative(root, join(root, dirname(from), name));
  return ['', '.ts', '.tsx'].map((end) => base + end).find((path) => isKnown.has(path));
}

/** What is left when files are taken away that import none of the others, or that none of them imports. */
function findCircles() {
  let left = all;
  for (let before = -1; before !== left.length;) {
    before = left.length;
    const names = new Set(left.map(({ path }) => path));
    const imported = new Set(left.flatMap(({ imports }) => imports));
    left = left.filter(({ path, imports }) => imported.has(path) && imports.some((to) => names.has(to)));
  }
  return left;
}

function parse(path, text) {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
}

function countMembers(path, name) {
  const { statements } = parse(path, files.get(path).text);
  return statements.find((each) => ts.isInterfaceDeclaration(each) && each.name.text === name).members.length;
}

/** The strings of a list such as `export const states = ['complete', 'rolling'] as const`. */
function readList(path, name) {
  const [, list] = new RegExp(`const ${name} = \\[([^\\]]*)\\]`).exec(files.get(path).text);
  return [...list.matchAll(/'(\w+)'/g)].map(([, word]) => word);
}

function decidesState(path, text) {
  if (!/\b(WorkloadStat(e|us)|RolloutState|DescribedState|DerivedState|stateWithout\w+)\b/.test(text))
    return false;
  const visit = (node) =>
    (ts.isStringLiteral(node) && states.has(node.text) && isDecided(node)) || ts.forEachChild(node, visit);
  return visit(parse(path, text)) === true;
}

function isDecided(node) {
  const { parent } = node;
  if (ts.isConditionalExpression(parent) || ts.isParenthesizedExpression(parent)) return isDecided(parent);
  if (ts.isBinaryExpression(parent))
    return parent.operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken && isDecided(parent);
  if (ts.isPropertyAssignment(parent)) return parent.name.text === 'state';
  return (
    ts.isReturnStatement(parent) ||
    ts.isCallExpression(parent) ||
    (ts.isArrowFunction(parent) && parent.body === node)
  );
}
