import { expect, test } from 'vitest';
import { proxyFor } from '@/server/cluster/environment-proxy';

const PROXY = 'http://proxy:3128';
const of = (server: string, env: Record<string, string>) => proxyFor(server, { HTTPS_PROXY: PROXY, ...env });

test('sends https addresses through HTTPS_PROXY and http addresses through HTTP_PROXY', () => {
  expect(proxyFor('https://k8s.example', { HTTPS_PROXY: PROXY })).toBe(PROXY);
  expect(proxyFor('https://k8s.example', { https_proxy: 'proxy:3128' })).toBe(PROXY);
  expect(proxyFor('https://k8s.example', { HTTP_PROXY: PROXY })).toBeUndefined();
  expect(proxyFor('http://k8s.example', { HTTP_PROXY: PROXY })).toBe(PROXY);
  expect(proxyFor('https://k8s.example', { HTTPS_PROXY: '' })).toBeUndefined();
});

test.each(['https://localhost:6443', 'https://127.0.0.1:6443', 'https://[::1]:6443'])(
  'reaches %s directly',
  (server) => expect(of(server, {})).toBeUndefined(),
);

test.each([
  ['*', 'https://k8s.example'],
  ['k8s.example', 'https://k8s.example:6443'],
  ['example', 'https://k8s.example'],
  ['.example', 'https://k8s.example'],
  ['*.example', 'https://k8s.example'],
  ['K8S.example', 'https://k8s.example'],
  ['other, k8s.example:6443', 'https://k8s.example:6443'],
  ['10.0.0.7', 'https://10.0.0.7:6443'],
  ['10.0.0.0/8', 'https://10.1.2.3:6443'],
  ['fd00::/8', 'https://[fd00::7]:6443'],
  ['fd00::7', 'https://[fd00::7]:6443'],
])('NO_PROXY %s covers %s', (NO_PROXY, server) => expect(of(server, { NO_PROXY })).toBeUndefined());

test.each([
  ['ample', 'https://k8s.example'],
  ['.k8s.example', 'https://k8s.example'],
  ['k8s.example:443', 'https://k8s.example:6443'],
  ['10.0.0.0/8', 'https://11.1.2.3'],
  ['10.0.0.0/99', 'https://10.1.2.3'],
  ['10.0.0.0/8', 'https://k8s.example'],
  ['0.0.7', 'https://10.0.0.7'],
  ['', 'https://k8s.example'],
])('NO_PROXY %s does not cover %s', (NO_PROXY, server) => expect(of(server, { NO_PROXY })).toBe(PROXY));
