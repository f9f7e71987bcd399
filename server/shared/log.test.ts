import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AppError } from '@/lib/errors';
import { createLogger, type LogFields, type LogLevel } from '@/server/shared/log';

function logged(message: string, fields?: LogFields, level: LogLevel = 'debug') {
  const lines: string[] = [];
  const log = createLogger({ level, write: (line) => lines.push(line), now: () => new Date(0) });
  log.debug(message, fields);
  log.error(message, fields);
  return lines;
}

test('a line is one JSON object with time, level, message and fields; lower levels are silent', () => {
  const lines = logged('two\nlines', { path: '/api', count: 2, nothing: undefined }, 'warn');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    { time: '1970-01-01T00:00:00.000Z', level: 'error', message: 'two\nlines', path: '/api', count: 2 },
  ]);
  expect(lines.join('').split('\n').length).toBe(1);
});

const secret = 'eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl';

test('credentials reach no line, at any position', () => {
  const error = new AppError(
    'internal',
    `Bearer ${secret}`,
    { clientKey: 'k3y-material' },
    new Error(secret),
  );
  const fields = {
    headers: { Authorization: 'opaque-value-1', cookie: 'opaque-value-2' },
    list: [{ idToken: 'opaque-value-3' }, `https://ann:opaque-value-4@git.example/`],
    error,
    text: `curl -H "authorization: Basic b3BhcXVlLXZhbHVl"`,
  };
  const lines = logged(`saw ${secret}`, fields).join('\n');
  expect(lines).not.toMatch(/opaque-value|b3BhcXVl|k3y-material|eyJ/);
  expect(lines).toContain('git.example');
});

test('no logged value can throw or break the line', () => {
  const circular: Record<string, unknown> = { big: 10n, at: new Date(0), call: () => 1, symbol: Symbol('s') };
  circular.self = circular;
  expect(logged('circular', circular).length).toBe(2);
  fc.assert(
    fc.property(fc.string(), fc.dictionary(fc.string(), fc.anything()), (message, fields) => {
      for (const line of logged(message, fields)) expect(JSON.parse(line)).toHaveProperty('message');
    }),
  );
});
