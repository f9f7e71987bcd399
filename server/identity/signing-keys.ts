import 'server-only';
import { createRemoteJWKSet, errors, type JWTVerifyGetKey } from 'jose';

/** Signatures without a secret that this process would share with the signer. */
export const ALGORITHMS = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
];

/** How far the clock of a signer may be ahead or behind. */
export const CLOCK_TOLERANCE_SECONDS = 30;

/** The host of the keys does not answer with keys, so that a signature is neither valid nor forged. */
export class KeysUnavailable extends Error {}

/**
 * The JSON Web Key Set at a URL, fetched on use; a redirect is not followed. Rejects with KeysUnavailable during an outage
 * of its host, and with an error of jose where the set does not have the key.
 */
export function keysAt(url: string): JWTVerifyGetKey {
  const keySet = createRemoteJWKSet(new URL(url));
  return async (header, token) => {
    try {
      return await keySet(header, token);
    } catch (error) {
      if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
        throw error;
      throw new KeysUnavailable(`The keys at ${url} cannot be fetched.`, { cause: error });
    }
  };
}
