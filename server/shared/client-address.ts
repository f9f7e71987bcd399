import 'server-only';
import { isIP } from 'node:net';
import type { AddressRanges } from '@/server/shared/address-ranges';
import { type Carrier, forwardedForOf, peerOf } from '@/server/shared/connections';

/** Of a request whose connection is not known. */
const UNKNOWN = 'unknown';

/** Groups of an IPv6 address, and those that name the network of one site or host. */
const GROUPS = 8;
const NETWORK_GROUPS = 4;

/**
 * Where a request comes from: an IPv4 address, or the /64 network of an IPv6 address, since whoever has one of its
 * addresses has all. Only a trusted proxy is believed about whom it forwards for: the last address in X-Forwarded-For
 * that is no trusted proxy counts, since whatever stands before it may be the client's own invention.
 */
export function clientNetworkOf(request: Carrier, trusted: AddressRanges): string {
  let address = peerOf(request);
  if (address === undefined) return UNKNOWN;
  const hops = forwardedForOf(request)?.split(',') ?? [];
  while (trusted.includes(address)) {
    const next = addressIn(hops.pop() ?? '');
    if (next === undefined) break;
    address = next;
  }
  return networkOf(address);
}

/** The address of one entry, which may have a port; undefined for anything else. */
function addressIn(entry: string): string | undefined {
  const text = entry.trim();
  const [, address = text] =
    /^\[(.*)\](?::\d+)?$/.exec(text) ?? /^(\d+\.\d+\.\d+\.\d+):\d+$/.exec(text) ?? [];
  return isIP(address) === 0 ? undefined : address;
}

function networkOf(address: string): string {
  const plain = address.replace(/%.*$/, '').replace(/^::ffff:(?=\d+\.)/i, '');
  if (isIP(plain) !== 6) return plain;
  // A URL writes every form of an address in the same way.
  const [head = '', tail = ''] = new URL(`http://[${plain}]/`).hostname.slice(1, -1).split('::');
  const [left, right] = [groupsOf(head), groupsOf(tail)];
  const zeros = Array<string>(GROUPS - left.length - right.length).fill('0');
  return `${[...left, ...zeros, ...right].slice(0, NETWORK_GROUPS).join(':')}::/64`;
}

function groupsOf(text: string): string[] {
  return text === '' ? [] : text.split(':');
}
