import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hasUnseenCharacters } from '@/lib/format/unseen-characters';
import { assertCanImpersonate, impersonationHeaders } from '@/server/cluster/impersonation';
import type { Impersonation } from '@/server/shared/viewer';

const isRefused = (identity: Impersonation) => {
  try {
    assertCanImpersonate(identity);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ code: 'forbidden' });
    expect((error as Error).message).toMatch(
      /^Nothing was sent to the cluster for this viewer: [^\n\p{Cc}]+\.$/u,
    );
    return true;
  }
};

/** Names as identity providers give them. */
const name = fc
  .string({ unit: 'grapheme', minLength: 1, maxLength: 30 })
  .filter((text) => text.trim() === text && !hasUnseenCharacters(text) && !text.startsWith('system:'));
const extraKey = fc.constantFrom('shiplog.dev/action', 'example.org/a_b.c-d', 'x/y');
const identity = fc.record(
  {
    user: name,
    groups: fc.array(name, { maxLength: 20 }),
    uid: name,
    extra: fc.dictionary(extraKey, fc.array(name, { maxLength: 3 }), { maxKeys: 3 }),
  },
  { requiredKeys: ['user'] },
);

/** What no name can be. */
const badText = fc.oneof(
  fc.constantFrom('', ' ', ' system:masters', 'ops ', '\tops', 'ops\n', '\u{a0}ops', 'a\ud800'),
  fc
    .tuple(
      fc.string(),
      fc.constantFrom('\0', '\r', '\n', '\r\nX: y', '\u007f', '\u0085', '\u001b', '\u202e', '\u200b'),
      fc.string(),
    )
    .map((parts) => parts.join('')),
);
const badName = fc.oneof(
  badText,
  fc.string().map((text) => `system:${text}`),
);

/** With the member somewhere in the list. */
const among = <T>(others: fc.Arbitrary<T[]>, member: fc.Arbitrary<T>) =>
  fc.tuple(others, member, fc.nat()).map(([all, one, at]) => all.toSpliced(at % (all.length + 1), 0, one));

describe('an identity', () => {
  test('of usual names is impersonated, and arrives as it is, one line per group', () => {
    fc.assert(
      fc.property(identity, (usual) => {
        expect(isRefused(usual)).toBe(false);
        const headers = impersonationHeaders(usual);
        const textOf = (value: string | string[] | undefined) =>
          [value ?? []].flat().map((line) => Buffer.from(line, 'latin1').toString('utf8'));
        expect(textOf(headers['Impersonate-User'])).toEqual([usual.user]);
        expect(textOf(headers['Impersonate-Group'])).toEqual(usual.groups ?? []);
      }),
    );
  });

  test('is refused as a whole for one bad name, wherever that is', () => {
    fc.assert(
      fc.property(identity, badName, (usual, bad) => {
        expect(isRefused({ ...usual, user: bad })).toBe(true);
      }),
    );
    fc.assert(
      fc.property(identity, among(fc.array(name), badName), (usual, groups) => {
        expect(isRefused({ ...usual, groups })).toBe(true);
      }),
    );
    fc.assert(
      fc.property(identity, badText, (usual, bad) => {
        expect(isRefused({ ...usual, uid: bad })).toBe(true);
        expect(isRefused({ ...usual, extra: { ...usual.extra, 'example.org/z': ['a', bad] } })).toBe(true);
      }),
    );
  });

  test.each(['Example.org/team', 'example.org/Team', 'team', '/team', 'example.org/', 'a/b/c', 'a b/c', ''])(
    'is refused for the extra key %j',
    (key) => {
      expect(isRefused({ user: 'ann', extra: { [key]: ['a'] } })).toBe(true);
    },
  );

  test('is refused with more than 1,000 groups', () => {
    const groups = Array.from({ length: 1000 }, (_, index) => `team-${index}`);
    expect(isRefused({ user: 'ann', groups })).toBe(false);
    expect(isRefused({ user: 'ann', groups: [...groups, 'one-more'] })).toBe(true);
  });
});
