import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLogger, type LogFormat } from '@/server/shared/log';
import { nameViewer, withRequestLog } from '@/server/shared/request-log';

async function handled(headers: Record<string, string>, work: () => void | Promise<void> = () => undefined) {
  const request = new Request('http://localhost/api', { headers });
  const response = await withRequestLog(request, async () => {
    await work();
    return new Response();
  });
  return response.headers.get('x-request-id') ?? '';
}

function logOf(format: LogFormat) {
  const lines: string[] = [];
  const log = createLogger({
    level: 'debug',
    format,
    write: (line) => lines.push(line),
    now: () => new Date(0),
  });
  return { lines, log };
}

test('every line of a request has its id and its viewer, and no line of another request or of none has', async () => {
  const { lines, log } = logOf('json');
  const read = async (name: string) => {
    log.info('before');
    nameViewer(name);
    await Promise.resolve();
    log.info('after');
  };
  const ids = await Promise.all([handled({}, () => read('ana')), handled({}, () => read('ben'))]);
  log.info('outside');
  nameViewer('of no request');
  const entries = lines.map((line) => JSON.parse(line) as Record<string, string>);
  const viewers = entries.map(({ message, request_id, viewer }) => [message, request_id, viewer]);
  expect(viewers.sort()).toEqual(
    [
      ['before', ids[0], undefined],
      ['before', ids[1], undefined],
      ['after', ids[0], 'ana'],
      ['after', ids[1], 'ben'],
      ['outside', undefined, undefined],
    ].sort(),
  );
});

test('the id of a proxy is taken if it is short and plain, else that of its trace, else a new one', async () => {
  const traceparent = `00-${'4b'.repeat(16)}-00f067aa0ba902b7-01`;
  expect(await handled({ 'x-request-id': 'proxy-1234.a_B', traceparent })).toBe('proxy-1234.a_B');
  expect(await handled({ 'x-request-id': 'short', traceparent })).toBe('4b'.repeat(16));
  const first = await handled({ traceparent: `${traceparent}x` });
  expect(first).toMatch(/^[0-9a-f]{16}$/);
  expect(await handled({})).not.toBe(first);
  const hostile = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((n) => String.fromCharCode(n)),
    maxLength: 100,
  });
  await fc.assert(
    fc.asyncProperty(hostile, async (text) => {
      expect(await handled({ 'x-request-id': text })).toMatch(/^[A-Za-z0-9._-]{8,64}$/);
    }),
  );
});

test('text for people is one line without control characters; only the stack of an error follows, indented', () => {
  const { lines, log } = logOf('text');
  log.warn('a\nb\u001b[2J', { path: '/api', words: 'two words', count: 2, nothing: undefined });
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z warn  a\\u000ab\\u001b[2J path=/api words="two words" count=2',
  ]);
  log.error('failed', { error: new Error('bad\u001b') });
  const [first, ...stack] = (lines[1] ?? '').split('\n');
  expect(first).toContain('failed error={"name":"Error","message":"bad\\u001b"}');
  expect(stack.length).toBeGreaterThan(1);
  expect(stack.every((line) => line.startsWith('    '))).toBe(true);
  expect(lines.join('\n')).not.toContain('\u001b');
});

test('credentials reach no line of text either', () => {
  const { lines, log } = logOf('text');
  log.error('saw Bearer eyJhbGciOi.eyJzdWIiOiIx.c2lnbmF0dXJl', {
    Authorization: 'opaque-value-1',
    error: new Error('https://ann:opaque-value-2@git.example/'),
  });
  expect(lines.join('\n')).not.toMatch(/opaque-value|eyJ/);
});
