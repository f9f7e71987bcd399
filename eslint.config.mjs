import { readdirSync } from 'node:fs';
import { defineConfig, globalIgnores } from 'eslint/config';
import nextTs from 'eslint-config-next/typescript';
import nextVitals from 'eslint-config-next/core-web-vitals';
import tseslint from 'typescript-eslint';

/** The direction of the arrows: app → server → lib, app → components → lib. */
function forbid(files, patterns, ignores = []) {
  return {
    files,
    ignores: ['**/*.test.ts', '**/*.test.tsx', ...ignores],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

const above = (group, message) => ({ group, message });
const nodeOnly = above(['node:*', 'undici', '@kubernetes/*'], 'This code also runs in the browser.');

const kinds = readdirSync(new URL('lib/workloads/kinds/', import.meta.url)).filter(
  (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
);
const features = readdirSync(new URL('components/', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && entry.name !== 'ui')
  .map((entry) => entry.name);

const libPatterns = [
  above(['@/app/*', '@/server/*', '@/components/*'], 'lib imports nothing above it.'),
  above(['react', 'react-dom', 'next', 'next/*', 'server-only'], 'lib is pure.'),
  nodeOnly,
];
const componentPatterns = [
  above(['@/app/*', '@/server/*', 'server-only'], 'components never import app or server.'),
  nodeOnly,
];

/** The rules of React cost a quarter of the time, and find nothing where there is none. */
const withoutReact = Object.fromEntries(
  nextVitals
    .flatMap(({ rules = {} }) => Object.keys(rules))
    .filter((name) => /^(react|react-hooks|jsx-a11y|@next\/next)\//.test(name))
    .map((name) => [name, 'off']),
);

const config = defineConfig([
  ...nextVitals,
  { files: ['{lib,server,bench,scripts,e2e,test}/**/*.{ts,mjs}'], rules: withoutReact },
  ...nextTs,
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ['**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true, requireDefaultForNonUnion: false },
      ],
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
    },
  },
  { files: ['**/*.{js,mjs}'], ...tseslint.configs.disableTypeChecked },
  {
    // End-to-end tests look at single members of whatever a server really answers.
    files: ['e2e/cluster/**/*.ts', 'e2e/browser/**/*.ts', 'e2e/support/**/*.ts', 'bench/**/*.ts'],
    rules: {
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  forbid(['lib/**/*.ts'], libPatterns, ['lib/workloads/kinds/*']),
  ...kinds.map((name) =>
    forbid(
      [`lib/workloads/kinds/${name}`],
      [...libPatterns, above(['@/lib/workloads/kinds/*', './*'], 'Kinds never import each other.')],
    ),
  ),
  forbid(
    ['components/ui/**/*.{ts,tsx}'],
    [...componentPatterns, above(['@/components/*', '!@/components/ui'], 'Primitives know no feature.')],
  ),
  ...features.map((name) =>
    forbid(
      [`components/${name}/**/*.{ts,tsx}`],
      [
        ...componentPatterns,
        above(
          ['@/components/*/**', '!@/components/ui/**', `!@/components/${name}/**`],
          'No feature imports another; compose them in app.',
        ),
      ],
    ),
  ),
  forbid(
    ['server/**/*.ts'],
    [above(['@/app/*', '@/components/*'], 'server never imports app or components.')],
  ),
  forbid(
    ['server/controllers/**/*.ts'],
    [
      above(['@/app/*', '@/components/*'], 'server never imports app or components.'),
      above(['@/server/sandbox/*'], 'What runs against real clusters needs no sandbox.'),
    ],
    ['server/controllers/**/testing/*'],
  ),
  globalIgnores(['.next/**', 'next-env.d.ts', 'node_modules/**', 'playwright-report/**', 'test-results/**']),
]);

export default config;
