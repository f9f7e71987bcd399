import { beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '@/lib/errors';
import { backChannelLogoutRoute, callbackRoute, signInRoute } from '@/server/http/sign-in';
import { signedOut, type SignInProvider } from '@/server/identity/identity';
import { fixedIdentity, personAs } from '@/server/identity/testing/fixed-identity';
import type { Edge } from '@/server/runtime/runtime';
import { IdempotencyStore } from '@/server/shared/idempotency-store';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { processViewer } from '@/server/shared/testing/viewers';

const warn = vi.fn();
let provider: SignInProvider;

beforeEach(() => {
  warn.mockReset();
  provider = {
    host: 'login.example',
    begin: () => Promise.resolve({ url: 'https://login.example/authorize', cookies: ['flow=1', 'flow=2'] }),
    complete: () =>
      Promise.resolve({
        person: personAs(processViewer('admin')),
        path: '/workloads?q=a&b="<x>',
        cookies: ['look=1', 'act=2'],
      }),
    endSessions: () => Promise.resolve(),
  };
});

const edge = (isOidc = true) => {
  const identity = fixedIdentity(() => processViewer('admin'));
  return (): Promise<Edge> =>
    Promise.resolve({
      ...{
        log: { ...silentLogger, warn },
        keys: new Keys(Buffer.alloc(32, 7)),
        publicUrl: 'https://shiplog.example',
      },
      idempotency: new IdempotencyStore(),
      identity: isOidc ? { ...identity, provider } : identity,
    });
};
const request = (host = 'shiplog.example', init: RequestInit = {}) =>
  new Request('https://shiplog.example/sign-in', {
    ...init,
    headers: { host, 'sec-fetch-site': 'cross-site' },
  });
const policy = expect.stringMatching(
  /^default-src 'none'; style-src 'sha256-[\w+/]{43}='; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
) as string;

test('a browser is sent to the provider, and each cookie has a line', async () => {
  const response = await signInRoute(edge())(request());
  expect([response.status, response.headers.get('location')]).toEqual([
    303,
    'https://login.example/authorize',
  ]);
  expect(response.headers.getSetCookie()).toEqual(['flow=1', 'flow=2']);
  expect(response.headers.get('cache-control')).toBe('no-store');
});

test('a browser goes on from a page, with nothing of the path as markup', async () => {
  const response = await callbackRoute(edge())(request());
  expect([response.status, response.headers.get('location')]).toEqual([200, null]);
  expect(response.headers.getSetCookie()).toEqual(['look=1', 'act=2']);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.get('content-security-policy')).toEqual(policy);
  const html = await response.text();
  expect(html).toContain(
    '<meta http-equiv="refresh" content="0; url=/workloads?q=a&#38;b=&#34;&#60;x&#62;">',
  );
  expect(html).toContain('<a href="/workloads?q=a&#38;b=&#34;&#60;x&#62;">');
});

test.each([
  [signedOut('login.example did not sign you in: <script>'), 401, 'did not sign you in: &#60;script&#62;'],
  [new AppError('identity_unavailable', 'login.example cannot be reached.'), 503, 'cannot be reached'],
  [new Error('password=hunter2'), 500, 'Internal error in Shiplog'],
])(
  'a failure is a page with one sentence and the reference that the log has: %s',
  async (error, status, text) => {
    for (const route of [signInRoute, callbackRoute]) {
      provider = { ...provider, begin: () => Promise.reject(error), complete: () => Promise.reject(error) };
      const response = await route(edge())(request());
      expect(response.status).toBe(status);
      expect(response.headers.get('content-security-policy')).toEqual(policy);
      expect(response.headers.getSetCookie()).toEqual([]);
      const html = await response.text();
      expect(html).toContain(text);
      expect(html).toContain('<a href="/sign-in">Try again</a>');
      expect(html).not.toContain('hunter2');
      const reference = response.headers.get('x-request-id') ?? 'none';
      expect(html).toContain(`<code>${reference}</code>`);
      expect(warn).toHaveBeenLastCalledWith('a sign-in failed', { error });
    }
  },
);

test.each([signInRoute, callbackRoute, backChannelLogoutRoute])(
  'answers neither another host nor where people sign in without a provider: %o',
  async (route) => {
    const post = { method: 'POST', body: 'logout_token=x' };
    const init = route === backChannelLogoutRoute ? post : {};
    expect((await route(edge())(request('evil.example', init))).status).toBe(421);
    expect((await route(edge(false))(request('shiplog.example', init))).status).toBe(404);
  },
);

test('a logout at the back channel ends what its token names, and says nothing to others', async () => {
  const endSessions = vi.fn(() => Promise.resolve());
  provider = { ...provider, endSessions };
  const post = (body: string) =>
    backChannelLogoutRoute(edge())(request('shiplog.example', { method: 'POST', body }));
  const response = await post('logout_token=a.b.c');
  expect([response.status, await response.text()]).toEqual([200, '']);
  expect(endSessions).toHaveBeenCalledWith('a.b.c');
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect((await post('token=a.b.c')).status).toBe(400);
  expect((await post(`logout_token=${'x'.repeat(70_000)}`)).status).toBe(413);
  endSessions.mockRejectedValue(new AppError('bad_request', 'logout_token: is not valid.'));
  expect((await post('logout_token=a.b.c')).status).toBe(400);
});
