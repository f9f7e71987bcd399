import { expect, test } from 'vitest';
import { cutLine, toLine } from '@/lib/format/message-line';

test('a message becomes one line, in which a member of a line of its own is still told apart', () => {
  expect(toLine(' cannot start:\n  exit code 1.\n')).toBe('cannot start: exit code 1.');
  expect(toLine('bad file\npassword: x\n"token": y')).toBe('bad file, password: x, "token": y');
});

test('a line is cut anywhere but within a URL', () => {
  expect(cutLine('cannot pull the image', 10)).toBe('cannot pul…');
  expect(cutLine('cannot clone https://bot:pass@git.example/x', 28)).toBe('cannot clone…');
  expect(cutLine('see https://git.example/x for more', 25)).toBe('see https://git.example/x…');
});
