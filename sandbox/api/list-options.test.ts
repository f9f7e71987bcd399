import { expect, it } from 'vitest';
import { assertListOptions, assertWatchOptions } from '@/sandbox/api/list-options';

function refusalOf(check: (query: URLSearchParams) => void, text: string): string {
  try {
    check(new URLSearchParams(text));
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
}

it.each([
  ['', ''],
  ['resourceVersion=7', ''],
  ['resourceVersion=0&resourceVersionMatch=NotOlderThan', ''],
  ['continue=abc&resourceVersion=0', ''],
  ['continue=abc&resourceVersion=7', 'not allowed when using continue'],
  ['continue=abc&resourceVersion=7&resourceVersionMatch=Exact', 'forbidden when continue is provided'],
  ['resourceVersionMatch=Exact', 'forbidden unless resourceVersion is provided'],
  ['resourceVersion=0&resourceVersionMatch=Exact', 'forbidden for resourceVersion "0"'],
  ['resourceVersion=7&resourceVersionMatch=Roughly', 'Unsupported value: "Roughly"'],
])('accepts a list with %s or explains what is wrong', (query, message) => {
  const told = refusalOf(assertListOptions, query);

  expect(message === '' ? told === '' : told.includes(message)).toBe(true);
});

it('accepts the initial events of a watch only with the matching resourceVersionMatch', () => {
  expect(refusalOf(assertWatchOptions, 'resourceVersion=7')).toBe('');
  expect(refusalOf(assertWatchOptions, 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan')).toBe('');
  expect(refusalOf(assertWatchOptions, 'sendInitialEvents=true')).toContain('requires setting');
  expect(refusalOf(assertWatchOptions, 'resourceVersionMatch=NotOlderThan')).toContain('forbidden for watch');
});
