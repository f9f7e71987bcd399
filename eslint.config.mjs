import js from '@eslint/js';
import markdown from '@eslint/markdown';
import { defineConfig, globalIgnores } from 'eslint/config';
import nextTs from 'eslint-config-next/typescript';
import nextVitals from 'eslint-config-next/core-web-vitals';
import tseslint from 'typescript-eslint';
import { plainWords } from './scripts/plain-words.mjs';

/** Imports from outside the repository that code must not have; .dependency-cruiser.mjs has the internal ones. */
function forbid(files, patterns) {
  return {
    files,
    ignores: ['**/*.test.ts', '**/*.test.tsx'],
    rules: { 'no-restricted-imports': ['error', { patterns }] },
  };
}

const above = (group, message) => ({ group, message });
const nodeOnly = above(['node:*', 'undici', '@kubernetes/*'], 'This code also runs in the browser.');

const libPatterns = [
  above(['react', 'react-dom', 'next', 'next/*', 'server-only'], 'lib is pure.'),
  nodeOnly,
];

const shiplog = { rules: { 'plain-words': plainWords } };

/** The React rules take a quarter of the time, and find nothing outside components. */
const withoutReact = Object.fromEntries(
  nextVitals
    .flatMap(({ rules = {} }) => Object.keys(rules))
    .filter((name) => /^(react|react-hooks|jsx-a11y|@next\/next)\//.test(name))
    .map((name) => [name, 'off']),
);

const config = defineConfig([
  {
    files: ['**/*.{js,mjs,ts,tsx}'],
    extends: [js.configs.recommended, nextVitals, nextTs, tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    // The globals of Node and the browser are TypeScript's to know; several expressions look for control characters.
    rules: { 'no-undef': 'off', 'no-control-regex': 'off' },
  },
  { files: ['{lib,server,sandbox,bench,scripts,e2e,test}/**/*.{ts,mjs}'], rules: withoutReact },
  {
    files: ['**/*.{ts,tsx,mjs}'],
    ignores: ['**/*.test.{ts,tsx}', '**/testing/**', 'scripts/plain-words.mjs'],
    plugins: { shiplog },
    rules: { 'shiplog/plain-words': 'error' },
  },
  {
    files: ['**/*.md'],
    plugins: { markdown, shiplog },
    language: 'markdown/gfm',
    rules: { 'shiplog/plain-words': 'error' },
  },
  {
    files: ['**/*.{ts,tsx}'],
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      // Node and the bundler load a module of which only types are imported, where each has its own `type`.
      '@typescript-eslint/no-import-type-side-effects': 'error',
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
    files: ['**/*.{ts,tsx}'],
    ignores: ['server/shared/mask.ts', 'test/masked.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        {
          selector: 'TSAsExpression > TSTypeReference[typeName.name="Masked"]',
          message: 'Only the methods of Mask make a value masked.',
        },
      ],
    },
  },
  {
    // End-to-end tests read single members of real answers.
    files: ['e2e/cluster/**/*.ts', 'e2e/browser/**/*.ts', 'e2e/support/**/*.ts', 'bench/**/*.ts'],
    rules: {
      // Playwright reads the names of fixtures from the pattern.
      'no-empty-pattern': 'off',
      '@typescript-eslint/no-explicit-any': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  forbid(['lib/**/*.ts'], libPatterns),
  forbid(['components/**/*.{ts,tsx}'], [above(['server-only'], 'components run in the browser.'), nodeOnly]),
  globalIgnores(['.next/**', 'next-env.d.ts', 'node_modules/**', 'playwright-report/**', 'test-results/**']),
]);

export default config;
