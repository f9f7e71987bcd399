import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NextRequest } from 'next/server';
import { config, isOwnHost, proxy } from '@/proxy';

function requestPage(path: string, host: string | undefined = 'localhost:8440') {
  return proxy(
    new NextRequest(`http://localhost:8440${path}`, { headers: host === undefined ? {} : { host } }),
  );
}

const policyOf = (response: Response) => response.headers.get('content-security-policy') ?? '';

beforeEach(() => vi.stubEnv('SHIPLOG_PUBLIC_URL', 'https://shiplog.shop.example/'));
afterEach(() => vi.unstubAllEnvs());

describe('host names', () => {
  test.each([
    'localhost',
    'localhost:8440',
    'LOCALHOST:1',
    '127.0.0.1:8440',
    '[::1]:8440',
    '[::1]',
    'shiplog.shop.example',
    'shiplog.shop.example:443',
  ])('answers to %s', (host) => expect(isOwnHost(host, 'https://shiplog.shop.example')).toBe(true));

  test.each([
    null,
    '',
    'evil.example',
    'localhost.evil.example',
    'evil.example:8440',
    '127.0.0.1.evil.example',
    'localhost.',
    '0.0.0.0',
    '10.0.0.7',
    'localhost@evil.example',
    '::1',
  ])('refuses %s', (host) => expect(isOwnHost(host, 'https://shiplog.shop.example')).toBe(false));

  test.each(['/', '/api/workloads', '/_next/static/chunks/main.js', '/icon.svg'])(
    'a foreign name gets no answer from %s',
    async (path) => {
      const response = requestPage(path, 'evil.example');
      expect(response.status).toBe(421);
      expect(response.headers.get('x-middleware-next')).toBeNull();
      expect(await response.text()).toContain('“evil.example”');
    },
  );

  test('an address that cannot be decoded is an error of the client', async () => {
    const response = requestPage('/api/workloads/deployments.apps/shop/%zz');
    expect(response.status).toBe(400);
    expect(response.headers.get('x-middleware-next')).toBeNull();
    expect(await response.text()).toContain('%');
  });

  test('an invalid public address allows nothing', () => {
    expect(isOwnHost('undefined', 'not a url')).toBe(false);
    expect(isOwnHost('', '')).toBe(false);
  });
});

describe('the bypass', () => {
  const [pattern = ''] = config.matcher;
  const passes = (path: string) => new RegExp(`^${pattern}$`).test(path);

  test.each([
    '/',
    '/api/stream',
    '/api/healthz',
    '/api/nothing',
    '/metrics',
    '/_next/static/x.js',
    '/api/workloads/%zz',
  ])('does not exist for %s', (path) => expect(passes(path)).toBe(true));

  test('is open to the routes that guard themselves', () => {
    expect(passes('/api/workloads')).toBe(false);
    expect(passes('/api/workloads/deployments.apps/shop/cart')).toBe(false);
    for (const path of ['/sign-in', '/sign-in/callback']) expect(passes(path)).toBe(false);
    for (const path of ['/sign-in/%63allback', '/sign-in-help']) expect(passes(path)).toBe(true);
  });
});

describe('policy', () => {
  test('a page runs only scripts of its own nonce, which differs each time and reaches the renderer', () => {
    const [first, second] = [requestPage('/'), requestPage('/')];
    const nonces = [first, second].map((response) => /'nonce-([^']+)'/.exec(policyOf(response))?.[1]);
    expect(nonces[0]).toBeTruthy();
    expect(nonces[0]).not.toBe(nonces[1]);
    expect(first.headers.get('x-middleware-request-content-security-policy')).toBe(policyOf(first));
    expect(policyOf(first)).toContain("'strict-dynamic'");
    expect(policyOf(first)).not.toMatch(/script-src[^;]*unsafe/);
  });

  test('an answer of the API runs and loads nothing', () => {
    expect(policyOf(requestPage('/api/workloads'))).toBe(
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
  });

  test.each(['/', '/workloads/deployments.apps/shop/cart', '/api/workloads', '/_next/static/x.js'])(
    'nothing under %s can be framed',
    (path) => {
      const response = requestPage(path);
      expect(policyOf(response)).toContain("frame-ancestors 'none'");
    },
  );

  test('a browser that came by https stays there', () => {
    const policyWith = (url: string) => {
      vi.stubEnv('SHIPLOG_PUBLIC_URL', url);
      return requestPage('/').headers.get('strict-transport-security');
    };
    expect(policyWith('https://shiplog.shop.example/')).toBe('max-age=31536000');
    expect(policyWith('http://shiplog.shop.example/')).toBeNull();
  });
});

describe('methods', () => {
  const send = (path: string, method: string, headers: Record<string, string> = {}) =>
    proxy(
      new NextRequest(`http://localhost:8440${path}`, { method, headers: { host: 'localhost', ...headers } }),
    );

  test.each(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])(
    'a page has no %s, so that Next searches for no server action',
    async (method) => {
      for (const path of ['/', '/workloads/deployments.apps/shop/cart', '/nothing', '/metrics']) {
        const response = send(path, method, { 'next-action': 'x' });
        expect([response.status, response.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
        expect(response.headers.get('x-middleware-next')).toBeNull();
        expect(await response.text()).toContain(method);
      }
    },
  );

  test('the API answers for itself, and a page is read', () => {
    expect(send('/api/session', 'POST').headers.get('x-middleware-next')).toBe('1');
    for (const method of ['GET', 'HEAD'])
      expect(send('/', method).headers.get('x-middleware-next')).toBe('1');
  });
});
