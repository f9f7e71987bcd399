import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isOnThisMachine, isPrivateUrl } from '@/server/shared/private-url';

test.each([
  'https://login.example/keys',
  'https://10.0.0.1',
  'http://127.0.0.1:8440',
  'http://127.1.2.3/x?y',
  'http://2130706433/',
  'http://localhost:1/',
  'http://[::1]:8440',
])('%s is private', (url) => {
  expect(isPrivateUrl(url)).toBe(true);
});

test.each([
  'http://login.example/keys',
  'http://10.0.0.1',
  'http://127.evil.example',
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example',
  'http://127.0.0.1@evil.example/',
  'http://[::2]/',
  'ftp://127.0.0.1',
  'file:///etc/passwd',
  '',
  'login.example',
])('%s is not', (url) => {
  expect(isPrivateUrl(url)).toBe(false);
});

test('of no host but those of this machine is an http URL private', () => {
  fc.assert(
    fc.property(fc.webUrl({ validSchemes: ['http', 'https'], withQueryParameters: true }), (url) => {
      expect(isPrivateUrl(url)).toBe(url.startsWith('https:'));
      expect(isOnThisMachine(url)).toBe(false);
    }),
  );
});
