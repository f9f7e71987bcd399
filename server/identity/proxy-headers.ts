import 'server-only';
import { createHash, timingSafeEqual } from 'node:crypto';
import { assertIsPerson, personOfClaims } from '@/server/identity/claims';
import { type IdentityProvider, signedOut } from '@/server/identity/identity';
import { managedByProxy } from '@/server/identity/managed-by-proxy';
import { AddressRanges } from '@/server/shared/address-ranges';
import type { Person } from '@/server/shared/viewer';

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
  /** Whether a header was sent more than once. */
  isRepeated: (request: Request, name: string) => boolean;
  readOnly: Person['readOnly'];
}

/** The subjects of one proxy: it tells no issuer. */
const ISSUER = 'proxy';

/**
 * People whom a proxy in front of Shiplog has signed in, and names in plain headers. Anyone could send those, so a request
 * counts only from the address of the proxy and with the secret that it shares with Shiplog.
 */
export function proxyHeadersIdentity(options: ProxyHeadersOptions): IdentityProvider {
  const { userHeader, groupsHeader, secretHeader, peerOf, isRepeated, readOnly } = options;
  const trusted = new AddressRanges(options.trusted);
  const secret = hashOf(options.secret);

  function assertFromProxy(request: Request): void {
    const peer = peerOf(request);
    const given = textIn(request, secretHeader);
    const isFromProxy =
      peer !== undefined &&
      trusted.includes(peer) &&
      given !== undefined &&
      timingSafeEqual(hashOf(given), secret);
    if (!isFromProxy) throw signedOut('This request did not come through the proxy that signs people in.');
    // One of them may be the browser's own.
    const repeated = [userHeader, groupsHeader].find((name) => isRepeated(request, name));
    if (repeated !== undefined)
      throw signedOut(
        `${repeated} was sent more than once, so Shiplog cannot tell who you are. The proxy must replace what a browser sends under this name.`,
      );
  }

  return managedByProxy('proxy-headers', (request) => {
    assertFromProxy(request);
    const user = textIn(request, userHeader);
    if (user === undefined || user === '')
      throw signedOut(`The proxy sent no ${userHeader}, so Shiplog cannot tell who you are.`);
    // A proxy in between may have joined two lines, of which the second may be the browser's own.
    if (user.includes(',')) throw signedOut(`${userHeader} occurs more than once, or has a comma.`);
    const groups = (textIn(request, groupsHeader) ?? '')
      // Other spaces are of the name, and refused.
      .split(/[ \t]*,[ \t]*/)
      .filter((group) => group !== '');
    const claims = { issuer: ISSUER, subject: user, user, groups: [...new Set(groups)] };
    assertIsPerson(claims);
    return personOfClaims(claims, readOnly);
  });
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** A header as UTF-8, which Node reads as Latin-1; one that is not valid UTF-8 stays Latin-1. */
function textIn(request: Request, name: string): string | undefined {
  const value = request.headers.get(name);
  if (value === null) return undefined;
  try {
    return utf8.decode(Buffer.from(value, 'latin1'));
  } catch {
    return value;
  }
}

function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
