import fc from 'fast-check';
import type { JWTPayload } from 'jose';
import { describe, expect, test } from 'vitest';
import { hasUnseenCharacters } from '@/lib/format/unseen-characters';
import { AppError } from '@/lib/errors';
import { claimsOf, personOfClaims } from '@/server/identity/claims';
import { entryDefaults } from '@/server/shared/testing/entry-defaults';
import type { Viewer } from '@/server/shared/viewer';

const names = { username: 'email', groups: 'groups' };
const ana = { iss: 'https://login.example', sub: '17', email: 'ana@shop.example', groups: ['dev', 'sre'] };
const self: Viewer = { id: 'self', name: 'shiplog', isProcess: true, credential: { kind: 'process' } };
const signedOut = (text: string) =>
  expect.objectContaining({ code: 'signed_out', message: expect.stringContaining(text) as string }) as Error;

test('the user and the groups are those of the configured claims', () => {
  expect(claimsOf([ana], names)).toEqual({
    ...{ issuer: 'https://login.example', subject: '17' },
    ...{ user: 'ana@shop.example', groups: ['dev', 'sre'] },
  });
  const keycloak = { ...ana, preferred_username: 'ana', realm_access: { roles: ['a', 'b', 'a'] } };
  expect(
    claimsOf([keycloak], { username: 'preferred_username', groups: 'realm_access.roles' }),
  ).toMatchObject({
    user: 'ana',
    groups: ['a', 'b'],
  });
  const url = 'https://shop.example/groups';
  expect(claimsOf([{ ...ana, [url]: ['x'] }], { ...names, groups: url }).groups).toEqual(['x']);
  expect(claimsOf([{ ...ana, groups: 'dev' }], names).groups).toEqual(['dev']);
  const { groups: _, ...without } = ana;
  expect(claimsOf([without], names).groups).toEqual([]);
});

test.each<[unknown, string]>([
  [undefined, 'ana@shop.example'],
  [true, 'ana@shop.example'],
  ['true', 'ana@shop.example'],
  ...[false, 'false', 'FALSE', 'True', '1', '', 0, 1, null, {}, [true]].map((value): [unknown, string] => [
    value,
    '17',
  ]),
])('with email_verified %j the user is %s', (value, user) => {
  const set = value === undefined ? ana : { ...ana, email_verified: value };
  expect(claimsOf([set], names).user).toBe(user);
});

test('the subject is the user where there is no email address', () => {
  for (const email of [undefined, null, '', ['ana@shop.example'], { ana: true }])
    expect(claimsOf([{ ...ana, email }], names).user).toBe('17');
});

describe('with a userinfo endpoint', () => {
  const { email: _, groups: __, ...token } = ana;
  const info = { iss: ana.iss, sub: ana.sub };

  test('it has what the token leaves out', () => {
    const sets = [token, { ...info, email: 'ana@shop.example', groups: ['dev'] }];
    expect(claimsOf(sets, names)).toMatchObject({ user: 'ana@shop.example', groups: ['dev'] });
  });

  test('an address is verified only by what gives the address', () => {
    const user = (...sets: object[]) => claimsOf(sets, names).user;
    expect(user({ ...token, email_verified: true }, { ...info, email: 'ben@x', email_verified: false })).toBe(
      '17',
    );
    expect(user({ ...token, email_verified: false }, { ...info, email: 'ana@x', email_verified: true })).toBe(
      'ana@x',
    );
    expect(user({ ...ana, email_verified: false }, { ...info, email: 'ben@x', email_verified: true })).toBe(
      '17',
    );
  });

  test('groups that the token cannot hold are those of the endpoint, and without them no one is signed in', () => {
    const full = { ...token, _claim_names: { groups: 'src1' } };
    expect(claimsOf([full, { ...info, groups: ['dev'] }], names).groups).toEqual(['dev']);
    expect(() => claimsOf([full, info], names)).toThrow(signedOut('in more groups'));
    expect(() => claimsOf([token, { ...info, hasgroups: 'true' }], names)).toThrow(
      signedOut('in more groups'),
    );
    expect(claimsOf([{ ...token, hasgroups: 'false' }, info], names).groups).toEqual([]);
  });
});

test('claims of any shape name a person with a clean name, or no one', () => {
  const values = fc.oneof(
    fc.jsonValue({ maxDepth: 2 }),
    fc.string({ unit: 'binary', maxLength: 8 }),
    fc.constantFrom('ana', 'system:masters', 'true', true, 'ana\u202e', ' ana'),
  );
  const keys = fc.constantFrom(
    'iss',
    'sub',
    'email',
    'email_verified',
    'groups',
    '_claim_names',
    'hasgroups',
  );
  const sets = fc.array(fc.dictionary(keys, values, { maxKeys: 7 }), { maxLength: 2 });
  let people = 0;
  fc.assert(
    fc.property(sets, fc.boolean(), (claims, isNamed) => {
      const all = claims.map((set) => (isNamed ? { ...set, iss: 'https://login.example', sub: 'ana' } : set));
      try {
        const { user, groups, subject } = claimsOf(all, names);
        for (const name of [user, subject, ...groups]) {
          expect(typeof name).toBe('string');
          expect(name.trim()).toBe(name);
          expect(name).not.toBe('');
          expect(hasUnseenCharacters(name)).toBe(false);
        }
        for (const name of [user, ...groups]) expect(name.startsWith('system:')).toBe(false);
        people += 1;
      } catch (error) {
        expect(error).toBeInstanceOf(AppError);
        expect(error).toMatchObject({ code: 'signed_out' });
      }
    }),
    { numRuns: 1_000 },
  );
  expect(people).toBeGreaterThan(50);
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
  ['a subject that is no text', { sub: 17 as unknown as string }, 'cannot tell who you are'],
  ['a user in another order', { email: 'nimda\u202e' }, '\\u{202e}'],
  ['a group with a character that is not seen', { groups: ['de\u200bv'] }, '\\u{200b}'],
  ['a subject in another order', { sub: '17\u2067' }, '\\u{2067}'],
])('%s: the whole sign-in is refused', (_, change, text) => {
  const { groups, ...rest } = { ...ana, ...change };
  const payload = groups === undefined ? rest : { ...rest, groups };
  expect(() => claimsOf([payload], names)).toThrow(signedOut(text));
});

test('each cluster knows the person with its own prefixes, and no two with other rights have one key', () => {
  const person = personOfClaims(claimsOf([ana], names), undefined);
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
  const other = personOfClaims(claimsOf([{ ...ana, groups: ['dev'] }], names), undefined);
  const keys = [person, other].flatMap((each) => [
    each.accessKey,
    each.viewerIn({ ...entryDefaults, name: 'a', self }).accessKey,
  ]);
  expect(new Set([...keys, viewerIn({ groupsPrefix: 'g:' }).accessKey]).size).toBe(5);
});

test('a cluster that takes the token itself gets it, and without one no request is sent', () => {
  const cluster = { ...entryDefaults, name: 'a', self, credential: 'token' } as const;
  const claims = claimsOf([ana], names);
  const { credential } = personOfClaims(claims, undefined, 'signed.by.issuer').viewerIn(cluster);
  expect(credential.kind === 'token' && credential.token.authorization()).toBe('Bearer signed.by.issuer');
  expect(personOfClaims(claims, undefined).viewerIn(cluster).credential).toEqual({ kind: 'none' });
});
