import { expect, test } from 'vitest';
import { cutLine, toLine } from '@/lib/format/message-line';

test('a message becomes one line, in which a member of a line of its own is still told apart', () => {
  expect(toLine(' cannot start:\n  exit code 1.\n')).toBe('cannot start: exit code 1.');
  expect(toLine('bad file\npassword: x\n"token": y')).toBe('bad file, password: x, "token": y');
});

test('a line is cut between words, so that no credential is cut in two', () => {
  expect(cutLine('cannot pull the image', 10)).toBe('cannot…');
  expect(cutLine('cannot use glpat-0123456789abcdef', 20)).toBe('cannot use…');
  expect(cutLine('イメージを取得できません', 4)).toBe('イメージ…');
  expect(cutLine('cannot clone https://bot:pass@git.example/x', 28)).toBe('cannot clone…');
  expect(cutLine('see https://git.example/x for more', 25)).toBe('see https://git.example/x…');
});
