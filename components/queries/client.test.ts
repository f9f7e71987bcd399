import { afterEach, expect, test, vi } from 'vitest';
import { apiFetch } from '@/components/queries/client';
import { failureOf } from '@/test/failure';

function answer(body: string, status = 200) {
  const fake = vi.fn(() => Promise.resolve(new Response(body, { status })));
  vi.stubGlobal('fetch', fake);
  return fake;
}

afterEach(() => vi.unstubAllGlobals());

test('returns the object that the server answered', async () => {
  answer('{"name":"cart","more":1}');
  await expect(apiFetch('GET /api/cluster', {})).resolves.toEqual({ name: 'cart', more: 1 });
});

test('sends a body as JSON and the key that makes repeating safe', async () => {
  const fetch = answer('{"name":"cart"}');
  await apiFetch('PUT /api/records/{id}/pin', {
    params: { id: 'a/b' },
    body: { pinned: true },
    idempotencyKey: 'k1',
  });
  const [path, init] = fetch.mock.calls[0] as unknown as [string, RequestInit & { headers: Headers }];
  expect(path).toBe('/api/records/a%2Fb/pin');
  expect(init.method).toBe('PUT');
  expect(init.body).toBe('{"pinned":true}');
  expect(init.headers.get('content-type')).toBe('application/json');
  expect(init.headers.get('idempotency-key')).toBe('k1');
});

test('passes on code, sentence and details of an error from the server', async () => {
  answer('{"error":{"code":"changed","message":"It changed.","details":{"seen":"a"}}}', 409);
  const error = await failureOf(apiFetch('GET /api/cluster', {}));
  expect(error).toMatchObject({
    code: 'changed',
    message: 'It changed.',
    details: { seen: 'a', status: 409 },
  });
});

test.each([
  ['a page of a proxy', '<html>502</html>', 502],
  ['an unknown code', '{"error":{"code":"toString","message":"No.","details":{}}}', 500],
  ['no sentence', '{"error":{}}', 500],
  ['an answer that is no object', '["cart"]', 200],
  ['no JSON at all', 'ok', 200],
])('%s is an internal error with a sentence', async (_, body, status) => {
  answer(body, status);
  const error = await failureOf(apiFetch('GET /api/cluster', {}));
  expect(error.code).toBe('internal');
  expect(error.message).toMatch(/\.$/);
});

test('says that Shiplog does not answer when no answer came, and leaves an abort an abort', async () => {
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('Failed to fetch')));
  expect((await failureOf(apiFetch('GET /api/cluster', {}))).details).toMatchObject({ offline: true });
  const abort = new AbortController();
  abort.abort(new DOMException('stop', 'AbortError'));
  await expect(apiFetch('GET /api/cluster', { signal: abort.signal })).rejects.toBeInstanceOf(TypeError);
});
