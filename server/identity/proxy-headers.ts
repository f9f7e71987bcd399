import 'server-only';
import { createHash, timingSafeEqual } from 'node:crypto';
import { assertIsPerson, personOfClaims } from '@/server/identity/claims';
import { type Identity, signedOut } from '@/server/identity/identity';
import { managedByProxy } from '@/server/identity/managed-by-proxy';
import { AddressRanges } from '@/server/shared/address-ranges';
import { type Person } from '@/server/shared/viewer';

export interface ProxyHeadersOptions {
  userHeader: string;
  /** Groups, separated by commas. */
  groupsHeader: string;
  secretHeader: string;
  secret: string;
  /** Where the proxy connects from. */
  trusted: readonly string[];
  /** The address of the other end of the connection of a request; undefined where it is unknown. */
  peerOf: (request: Request) => string | undefined;
  readOnly: Person['readOnly'];
}

/** The subjects of one proxy: it tells no issuer. */
const ISSUER = 'proxy';

/**
 * People whom a proxy in front of Shiplog has signed in, and names in plain headers. Anyone could send those, so a request
 * counts only from the address of the proxy and with the secret that it shares with Shiplog.
 */
export function proxyHeadersIdentity(options: ProxyHeadersOptions): Identity {
  const { userHeader, groupsHeader, secretHeader, peerOf, readOnly } = options;
  const trusted = new AddressRanges(options.trusted);
  const secret = hashOf(options.secret);
  return managedByProxy('proxy-headers', (request) => {
    const peer = peerOf(request);
    const given = request.headers.get(secretHeader);
    const isFromProxy =
      peer !== undefined &&
      trusted.includes(peer) &&
      given !== null &&
      timingSafeEqual(hashOf(given), secret);
    if (!isFromProxy) throw signedOut('This request did not come through the proxy that signs people in.');
    const user = request.headers.get(userHeader);
    if (user === null || user === '')
      throw signedOut(`The proxy sent no ${userHeader}, so Shiplog cannot tell who you are.`);
    // Node joins a header that occurs twice with a comma: the second may be the sender's own.
    if (user.includes(',')) throw signedOut(`${userHeader} occurs more than once, or has a comma.`);
    const groups = (request.headers.get(groupsHeader) ?? '')
      .split(',')
      .map((group) => group.trim())
      .filter((group) => group !== '');
    const claims = { issuer: ISSUER, subject: user, user, groups: [...new Set(groups)] };
    assertIsPerson(claims);
    return personOfClaims(claims, readOnly);
  });
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
