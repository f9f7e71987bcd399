import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { BearerToken } from '@/server/shared/bearer-token';
import { createLogger } from '@/server/shared/log';

const text = 'eyJhbGciOi.J9~x+/-_w==';
const viewer = { name: 'ana', credential: { kind: 'token', token: new BearerToken(text) } };

test('shows its text in a header only', () => {
  const logged: string[] = [];
  const log = createLogger({ level: 'debug', names: [], write: (line) => logged.push(line) });
  log.error('failed', { viewer, error: new Error('failed', { cause: viewer }) });
  const shown = [
    JSON.stringify(viewer),
    inspect(viewer, { depth: null, showHidden: true, getters: true }),
    inspect(new Error('failed', { cause: viewer }), { depth: null }),
    inspect(viewer.credential.token, { customInspect: false }),
    inspect(structuredClone(viewer)),
    inspect({ ...viewer.credential.token }),
    ...logged,
  ].join('\n');
  expect(logged).toHaveLength(1);
  expect(shown).not.toContain(text.slice(0, 8));
  expect(viewer.credential.token.authorization()).toBe(`Bearer ${text}`);
});

test.each(['', ' ', 'a b', 'a\r\nX: y', ' a', 'a\n', 'ä', 'a=b'])('is not made from %j', (wrong) => {
  expect(() => new BearerToken(wrong)).toThrow(/no bearer token/);
});
