import 'server-only';
import { errors, type JWTPayload, jwtVerify } from 'jose';
import { AppError, messageOf } from '@/lib/errors';
import { type ClaimNames, claimsOf, personOfClaims } from '@/server/identity/claims';
import { type IdentityProvider, signedOut } from '@/server/identity/identity';
import { managedByProxy } from '@/server/identity/managed-by-proxy';
import { ALGORITHMS, CLOCK_TOLERANCE_SECONDS, keysAt } from '@/server/identity/signing-keys';
import type { Person } from '@/server/shared/viewer';

export interface ProxyJwtOptions {
  /** The header that has the assertion, with or without `Bearer` before it. */
  header: string;
  issuer: string;
  audience: string;
  /** The URL of the JSON Web Key Set. */
  keys: string;
  claims: ClaimNames;
  readOnly: Person['readOnly'];
}

/**
 * People whom a proxy in front of Shiplog has signed in, and names with a signed assertion in each request: oauth2-proxy,
 * Google IAP, Cloudflare Access. The signature is verified, so that nothing depends on who can connect.
 * https://www.rfc-editor.org/rfc/rfc8725
 */
export function proxyJwtIdentity({
  header,
  issuer,
  audience,
  keys,
  claims,
  readOnly,
}: ProxyJwtOptions): IdentityProvider {
  const keySet = keysAt(keys);

  async function verify(assertion: string): Promise<JWTPayload> {
    try {
      const options = { issuer, audience, algorithms: ALGORITHMS, clockTolerance: CLOCK_TOLERANCE_SECONDS };
      const { payload } = await jwtVerify(assertion, keySet, { ...options, requiredClaims: ['sub', 'exp'] });
      return payload;
    } catch (error) {
      if (error instanceof errors.JWTExpired)
        throw signedOut('The sign-in at the proxy has expired. Load the page again.');
      // The sender of a forged assertion learns nothing of the keys.
      if (error instanceof errors.JOSEError)
        throw signedOut(`The assertion in ${header} is not valid for this Shiplog: ${messageOf(error)}.`);
      throw new AppError(
        'identity_unavailable',
        'The keys that verify who you are cannot be fetched now. Try again in a moment.',
        {},
        error,
      );
    }
  }

  return managedByProxy('proxy-jwt', async (request) => {
    const value = request.headers
      .get(header)
      ?.trim()
      .replace(/^bearer\s+/i, '');
    if (value === undefined || value === '')
      throw signedOut('This request did not come through the proxy that signs people in.');
    return personOfClaims(claimsOf([await verify(value)], claims), readOnly, value);
  });
}
