import 'server-only';
import { z } from 'zod';
import { messageOf } from '@/lib/errors';
import { assertCanImpersonate, problemOfText } from '@/server/cluster/impersonation';
import { hashOf } from '@/server/identity/hash';
import { signedOut } from '@/server/identity/identity';
import { BearerToken } from '@/server/shared/bearer-token';
import type { Person, Viewer } from '@/server/shared/viewer';

/** A person as an identity provider or a proxy names them. */
export interface Claims {
  /** With the subject it identifies the person for good: a name may be given to another person. */
  issuer: string;
  subject: string;
  /** As clusters know the user and the groups, without the prefixes of a cluster. */
  user: string;
  groups: readonly string[];
}

/** In which claims of a token the names are; a path for those within others, such as `realm_access.roles`. */
export interface ClaimNames {
  username: string;
  groups: string;
}

/**
 * Other parties write booleans as text too. Anything but true is false: what a claim does not say clearly, it does not
 * say.
 */
const isTrue = z.literal([true, 'true']).transform(() => true);
const nonEmpty = z.string().min(1);

/** The claims of one token, or of one answer of a userinfo endpoint, as far as Shiplog knows what they mean. */
const claimSetSchema = z.looseObject({
  iss: nonEmpty,
  sub: nonEmpty,
  /** An address whose provider says nothing of it counts as verified, as it does for the API server. */
  email_verified: isTrue.default(true).catch(false),
  /** Microsoft Entra: the token is too small for the groups. */
  hasgroups: isTrue.default(false).catch(false),
});
type ClaimSet = z.output<typeof claimSetSchema>;

const claimSetsSchema = z.tuple([claimSetSchema], claimSetSchema);
const groupsSchema = z.union([z.string().transform((group) => [group]), z.array(z.string())]);

/**
 * The person whom verified claims describe. `sets` are those of the ID token, and behind it of the userinfo endpoint,
 * which has what the token leaves out: claims that belong together are those of one set. Throws AppError `signed_out`
 * where they name no one, or a person whom Shiplog never impersonates.
 * https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims
 */
export function claimsOf(sets: readonly object[], names: ClaimNames): Claims {
  const parsed = claimSetsSchema.safeParse(sets).data;
  if (parsed === undefined)
    throw signedOut('The token names neither an issuer nor a subject, so Shiplog cannot tell who you are.');
  const [main] = parsed;
  const claims = {
    issuer: main.iss,
    subject: main.sub,
    user: userIn(setWith(parsed, names.username), names) ?? main.sub,
    groups: groupsIn(parsed, names),
  };
  assertIsPerson(claims);
  return claims;
}

/**
 * Throws AppError `signed_out` for a person whom Shiplog never impersonates, or whose subject is no name either: the
 * whole sign-in, rather than without a group.
 */
export function assertIsPerson({ subject, user, groups }: Pick<Claims, 'subject' | 'user' | 'groups'>): void {
  try {
    assertCanImpersonate({ user, groups });
  } catch (error) {
    throw signedOut(messageOf(error).replace(/^.*for this viewer: /, 'Sign-in was refused: '));
  }
  const problem = problemOfText('subject', subject);
  if (problem !== undefined) throw signedOut(`Sign-in was refused: ${problem}.`);
}

/** Whether the token has the user and the groups: providers may leave them for the userinfo endpoint. */
export function hasNames(payload: object, { username, groups }: ClaimNames): boolean {
  return [username, groups].every((name) => valueAt(payload, name) !== undefined);
}

/** The first set that has the claim. */
function setWith(sets: readonly ClaimSet[], name: string): ClaimSet | undefined {
  return sets.find((set) => valueAt(set, name) !== undefined);
}

/** An email address that is not verified may be that of another person. */
function userIn(set: ClaimSet | undefined, { username }: ClaimNames): string | undefined {
  if (set === undefined || (username === 'email' && !set.email_verified)) return undefined;
  return nonEmpty.safeParse(valueAt(set, username)).data;
}

function groupsIn(sets: readonly ClaimSet[], { groups: name }: ClaimNames): string[] {
  const set = setWith(sets, name);
  if (set === undefined) {
    if (sets.some((each) => hasTooManyGroups(each, name)))
      throw signedOut(
        'Your account is in more groups than a token can hold, and without them Shiplog would show too little. Ask your administrator to assign groups to the application.',
      );
    return [];
  }
  const groups = groupsSchema.safeParse(valueAt(set, name)).data;
  if (groups !== undefined) return [...new Set(groups)];
  throw signedOut(`The claim ${name} of the token is not a list of groups. Check SHIPLOG_GROUPS_CLAIM.`);
}

/**
 * Microsoft Entra then names the place to fetch them from instead.
 * https://learn.microsoft.com/en-us/entra/identity-platform/access-token-claims-reference#groups-overage-claim
 */
function hasTooManyGroups(set: ClaimSet, name: string): boolean {
  return valueAt(set, `_claim_names.${name}`) !== undefined || set.hasgroups;
}

/** A claim of this very name goes before a path: names may be URLs. */
function valueAt(set: object, path: string): unknown {
  if (Object.hasOwn(set, path)) return set[path as keyof typeof set];
  let value: unknown = set;
  for (const part of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined;
    value = value[part as keyof typeof value];
  }
  return value;
}

/** `token` is what clusters get whose entry has `credential: token`. */
export function personOfClaims(claims: Claims, readOnly: Person['readOnly'], token?: string): Person {
  const { issuer, subject, user, groups } = claims;
  const facts = {
    ...{ id: `${issuer} ${subject}`, name: user, isProcess: false },
    ...(readOnly && { readOnly }),
  };
  return {
    ...facts,
    login: { issuer, subject },
    accessKey: keyOf([issuer, subject, user, groups]),
    isShared: false,
    viewerIn({ credential, identity: { usernamePrefix, groupsPrefix } }): Viewer {
      if (credential === 'token') {
        if (token === undefined) return { ...facts, credential: { kind: 'none' } };
        const accessKey = keyOf(['token', issuer, subject, groups]);
        return { ...facts, accessKey, credential: { kind: 'token', token: new BearerToken(token) } };
      }
      const impersonated = {
        user: `${usernamePrefix}${user}`,
        groups: groups.map((group) => `${groupsPrefix}${group}`),
      };
      return {
        ...facts,
        accessKey: keyOf(['impersonate', impersonated]),
        credential: { kind: 'impersonate', ...impersonated },
      };
    },
  };
}

function keyOf(facts: readonly unknown[]): string {
  return hashOf(JSON.stringify(facts));
}
