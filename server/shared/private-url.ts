import { isIP } from 'node:net';

/** Whether it is an address or the name of this machine alone; IPv6 as in a URL, or without its brackets. */
export function isLoopback(host: string): boolean {
  return (
    host === 'localhost' ||
    host === '::1' ||
    host === '[::1]' ||
    (isIP(host) === 4 && host.startsWith('127.'))
  );
}

/** Whether the URL leads to this machine, where no one else can read what is sent. */
export function isOnThisMachine(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed !== null && isLoopback(parsed.hostname);
}

/**
 * The one rule for every URL that decides who a person is, or gets what signs them in: https, or this machine. Elsewhere
 * others on the network could read a credential, or answer in place of the host.
 */
export function isPrivateUrl(url: string): boolean {
  const protocol = URL.parse(url)?.protocol;
  return protocol === 'https:' || (protocol === 'http:' && isOnThisMachine(url));
}
