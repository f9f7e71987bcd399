import { beforeEach, expect, test } from 'vitest';
import type { SignInEntry } from '@/lib/api/activity-event';
import { audited } from '@/server/audit/audited-identity';
import { type IdentityProvider, signedOut } from '@/server/identity/identity';
import { fixedIdentity, personAs } from '@/server/identity/testing/fixed-identity';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import { viewerNamed } from '@/server/shared/testing/viewers';

const ana = {
  ...personAs(viewerNamed('ana')),
  login: { issuer: 'https://login.example', subject: '42' },
  session: 's1',
};
const request = new Request('http://localhost/', { headers: { 'x-forwarded-for': '203.0.113.9' } });
let lines: SignInEntry[];
let now: number;
let identity: IdentityProvider;
let signIn: () => ReturnType<IdentityProvider['signIn']>;

beforeEach(() => {
  lines = [];
  now = 0;
  signIn = () => ({ person: ana, cookies: [] });
  const plain = {
    ...fixedIdentity(() => viewerNamed('ana')),
    personOf: () => ana,
    signIn: () => signIn(),
    signOut: () => ({ person: ana, cookies: [] }),
  };
  identity = audited(plain, {
    audit: { note: (line) => lines.push(line as SignInEntry) },
    ...{ mask: new Keys(Buffer.alloc(32, 7)).mask, log: silentLogger, now: () => now },
  });
});

test('a sign-in and a sign-out have a line with the person, the session, and the address', async () => {
  await identity.signIn(request, { key: 'k' });
  await identity.signOut(request);
  expect(lines.map(({ event }) => event)).toEqual(['signIn', 'signOut']);
  for (const line of lines)
    expect(line).toMatchObject({
      by: { name: 'ana' },
      sender: { issuer: 'https://login.example', subject: '42', session: 's1', forwardedFor: '203.0.113.9' },
    });
});

test('a refusal has a line with the reason, and ten of them a minute', async () => {
  signIn = () => {
    throw signedOut('No such key.');
  };
  const refused = async (times: number) => {
    for (let count = 0; count < times; count += 1)
      await expect(identity.signIn(request, { key: 'k' })).rejects.toThrow('No such key.');
  };
  await refused(15);
  expect(lines).toHaveLength(10);
  expect(lines[0]).toMatchObject({ event: 'signInRefused', by: null, reason: 'No such key.' });
  now = 60_000;
  await refused(1);
  expect(lines).toHaveLength(11);
});

test('a full disk keeps no one from signing in', async () => {
  const failing = audited(identity, {
    audit: {
      note() {
        throw new Error('ENOSPC');
      },
    },
    ...{ mask: new Keys(Buffer.alloc(32, 7)).mask, log: silentLogger, now: () => now },
  });
  expect(await failing.signIn(request, { key: 'k' })).toMatchObject({ person: { name: 'ana' } });
});
