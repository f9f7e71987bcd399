import { expect, test } from 'vitest';
import { concerns, type RightsChange, RightsChanges } from '@/server/cluster/rights-changes';
import { viewerNamed } from '@/server/shared/testing/viewers';
import type { Credential, Viewer } from '@/server/shared/viewer';

const as = (credential: Credential): Viewer => ({ ...viewerNamed('ana'), credential });
const ana = as({ kind: 'impersonate', user: 'oidc:ana', groups: ['oidc:dev'] });
const changeOf = (namespace: string | null, ...subjects: string[]): RightsChange => ({
  namespace,
  subjects: new Set(subjects),
});

test.each([
  ['their name', ['User oidc:ana'], true],
  ['one of their groups', ['Group oidc:ops', 'Group oidc:dev'], true],
  ['everyone who is known', ['Group system:authenticated'], true],
  ['another person', ['User oidc:ben', 'Group oidc:ops', 'Group oidc:ana', 'User oidc:dev'], false],
])('a binding to %s', (_, subjects, expected) => {
  expect(concerns(changeOf(null, ...subjects), ana)).toBe(expected);
});

test('any binding may concern a person with a token, whose groups only the API server knows', () => {
  const token = as({ kind: 'token', token: 'x' as never });
  expect(concerns(changeOf(null, 'User oidc:ben'), token)).toBe(true);
});

test('an answer counts until a change in its namespace or in the whole cluster, and again once it was asked after it', () => {
  let now = 10_000;
  const changes = new RightsChanges({ now: () => now });
  const isValid = (at: number, namespace?: string) => changes.validityFor(ana)({ at }, namespace);
  expect(isValid(0, 'shop')).toBe(true);
  changes.add(changeOf('shop', 'User oidc:ana'));
  expect([isValid(9_000, 'shop'), isValid(9_000, 'edge'), isValid(9_000)]).toEqual([false, true, true]);
  now += 5_000;
  changes.add(changeOf(null, 'Group oidc:dev'));
  expect([isValid(14_000, 'shop'), isValid(14_000, 'edge'), isValid(14_000)]).toEqual([false, false, false]);
  // The authorizer of the API server may not know of the change in the first moment after it.
  expect([isValid(15_900, 'shop'), isValid(16_100, 'shop')]).toEqual([false, true]);
});

test('however many changes there are, an answer from before one of them does not count', () => {
  let now = 0;
  const changes = new RightsChanges({ now: () => (now += 10) });
  changes.add(changeOf('shop', 'User oidc:ana'));
  for (let count = 0; count < 500; count += 1) changes.add(changeOf('edge', 'User oidc:ben'));
  expect(changes.validityFor(ana)({ at: 5 }, 'shop')).toBe(false);
  expect(changes.validityFor(ana)({ at: now + 2_000 }, 'shop')).toBe(true);
});
