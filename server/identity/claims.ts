import 'server-only';
import { type JWTPayload } from 'jose';
import { messageOf } from '@/lib/errors';
import { assertCanImpersonate } from '@/server/cluster/impersonation';
import { hashOf } from '@/server/identity/hash';
import { signedOut } from '@/server/identity/identity';
import { BearerToken } from '@/server/shared/bearer-token';
import { type Person, type Viewer } from '@/server/shared/viewer';

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
 * The person whom verified claims describe. Throws AppError `signed_out` where they name no one, or someone whom Shiplog
 * never impersonates.
 * https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims
 */
export function claimsOf(payload: JWTPayload, names: ClaimNames): Claims {
  const { iss: issuer, sub: subject } = payload;
  if (issuer === undefined || subject === undefined || subject === '')
    throw signedOut('The token names neither an issuer nor a subject, so Shiplog cannot tell who you are.');
  const claims = { issuer, subject, user: userIn(payload, names), groups: groupsIn(payload, names) };
  assertIsPerson(claims);
  return claims;
}

/** Throws AppError `signed_out` for whom Shiplog never impersonates: the whole sign-in, rather than without a group. */
export function assertIsPerson({ user, groups }: Pick<Claims, 'user' | 'groups'>): void {
  try {
    assertCanImpersonate({ user, groups });
  } catch (error) {
    throw signedOut(messageOf(error).replace(/^.*for this viewer: /, 'Sign-in was refused: '));
  }
}

/** Whether the token has the user and the groups: providers may leave them for the userinfo endpoint. */
export function hasNames(payload: JWTPayload, { username, groups }: ClaimNames): boolean {
  return [username, groups].every((name) => valueAt(payload, name) !== undefined);
}

/** An email address that is not verified may be someone else's. */
function userIn(payload: JWTPayload, { username }: ClaimNames): string {
  const isVerified = username !== 'email' || payload.email_verified !== false;
  const value = isVerified ? valueAt(payload, username) : undefined;
  return typeof value === 'string' && value !== '' ? value : (payload.sub ?? '');
}

function groupsIn(payload: JWTPayload, { groups: name }: ClaimNames): string[] {
  const value = valueAt(payload, name);
  if (value === undefined) {
    if (hasTooManyGroups(payload, name))
      throw signedOut(
        'Your account is in more groups than a token can hold, and without them Shiplog would show too little. Ask your administrator to assign groups to the application.',
      );
    return [];
  }
  const list = typeof value === 'string' ? [value] : value;
  if (Array.isArray(list) && list.every((group): group is string => typeof group === 'string'))
    return [...new Set(list)];
  throw signedOut(`The claim ${name} of the token is not a list of groups. Check SHIPLOG_GROUPS_CLAIM.`);
}

/**
 * Microsoft Entra then names the place to fetch them from instead.
 * https://learn.microsoft.com/en-us/entra/identity-platform/access-token-claims-reference#groups-overage-claim
 */
function hasTooManyGroups(payload: JWTPayload, name: string): boolean {
  return valueAt(payload, `_claim_names.${name}`) !== undefined || payload.hasgroups === true;
}

/** A claim of this very name goes before a path: names may be URLs. */
function valueAt(payload: object, path: string): unknown {
  if (Object.hasOwn(payload, path)) return payload[path as keyof typeof payload];
  let value: unknown = payload;
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
