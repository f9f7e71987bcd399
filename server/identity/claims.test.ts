import { type JWTPayload } from 'jose';
import { expect, test } from 'vitest';
import { claimsOf, personOfClaims } from '@/server/identity/claims';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';
import { type Viewer } from '@/server/shared/viewer';

const names = { username: 'email', groups: 'groups' };
const ana = { iss: 'https://login.example', sub: '17', email: 'ana@shop.example', groups: ['dev', 'sre'] };
const self: Viewer = { id: 'self', name: 'shiplog', isProcess: true, credential: { kind: 'process' } };
const signedOut = (text: string) =>
  expect.objectContaining({ code: 'signed_out', message: expect.stringContaining(text) as string }) as Error;

test('the user and the groups are those of the configured claims', () => {
  expect(claimsOf(ana, names)).toEqual({
    ...{ issuer: 'https://login.example', subject: '17' },
    ...{ user: 'ana@shop.example', groups: ['dev', 'sre'] },
  });
  const keycloak = { ...ana, preferred_username: 'ana', realm_access: { roles: ['a', 'b', 'a'] } };
  expect(claimsOf(keycloak, { username: 'preferred_username', groups: 'realm_access.roles' })).toMatchObject({
    user: 'ana',
    groups: ['a', 'b'],
  });
  const url = 'https://shop.example/groups';
  expect(claimsOf({ ...ana, [url]: ['x'] }, { ...names, groups: url }).groups).toEqual(['x']);
  expect(claimsOf({ ...ana, groups: 'dev' }, names).groups).toEqual(['dev']);
  const { groups: _, ...without } = ana;
  expect(claimsOf(without, names).groups).toEqual([]);
});

test('the subject is the user where the email address is absent or not verified', () => {
  expect(claimsOf({ ...ana, email_verified: false }, names).user).toBe('17');
  expect(claimsOf({ ...ana, email_verified: true }, names).user).toBe('ana@shop.example');
  expect(claimsOf({ ...ana, email: undefined }, names).user).toBe('17');
});

test.each<[string, JWTPayload, string]>([
  ['a group of the API server', { groups: ['dev', 'system:masters'] }, 'system:masters'],
  ['a user of the API server', { email: 'system:kube-scheduler' }, 'system:'],
  ['an empty group', { groups: [''] }, 'group'],
  ['more groups than Shiplog sends', { groups: Array.from({ length: 1001 }, (_, i) => `g${i}`) }, '1001'],
  ['groups that are no list', { groups: { dev: true } }, 'SHIPLOG_GROUPS_CLAIM'],
  ['groups that are no text', { groups: [1] }, 'SHIPLOG_GROUPS_CLAIM'],
  [
    'groups that do not fit',
    { groups: undefined, _claim_names: { groups: 'src1' } },
    'in more groups than a token can hold',
  ],
  ['no subject', { sub: undefined }, 'cannot tell who you are'],
])('%s: the whole sign-in is refused', (_, change, text) => {
  const { groups, ...rest } = { ...ana, ...change };
  const payload = groups === undefined ? rest : { ...rest, groups };
  expect(() => claimsOf(payload, names)).toThrow(signedOut(text));
});

test('each cluster knows the person with its own prefixes, and no two with other rights have one key', () => {
  const person = personOfClaims(claimsOf(ana, names), undefined);
  const viewerIn = (identity: object) =>
    person.viewerIn({
      ...entryDefaults,
      name: 'a',
      self,
      identity: { usernamePrefix: '', groupsPrefix: '', ...identity },
    });
  expect(viewerIn({})).toMatchObject({
    ...{ name: 'ana@shop.example', isProcess: false, id: 'https://login.example 17' },
    credential: { kind: 'impersonate', user: 'ana@shop.example', groups: ['dev', 'sre'] },
  });
  expect(viewerIn({ usernamePrefix: 'oidc:', groupsPrefix: 'g:' }).credential).toEqual({
    ...{ kind: 'impersonate', user: 'oidc:ana@shop.example', groups: ['g:dev', 'g:sre'] },
  });
  const other = personOfClaims(claimsOf({ ...ana, groups: ['dev'] }, names), undefined);
  const keys = [person, other].flatMap((each) => [
    each.accessKey,
    each.viewerIn({ ...entryDefaults, name: 'a', self }).accessKey,
  ]);
  expect(new Set([...keys, viewerIn({ groupsPrefix: 'g:' }).accessKey]).size).toBe(5);
});

test('a cluster that takes the token itself gets it, and without one no request is sent', () => {
  const cluster = { ...entryDefaults, name: 'a', self, credential: 'token' } as const;
  const claims = claimsOf(ana, names);
  const { credential } = personOfClaims(claims, undefined, 'signed.by.issuer').viewerIn(cluster);
  expect(credential.kind === 'token' && credential.token.authorization()).toBe('Bearer signed.by.issuer');
  expect(personOfClaims(claims, undefined).viewerIn(cluster).credential).toEqual({ kind: 'none' });
});
