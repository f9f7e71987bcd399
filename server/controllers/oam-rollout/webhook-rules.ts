import 'server-only';
import { type LookupAddress, lookup as lookupBySystem } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { AddressRanges } from '@/server/shared/address-ranges';

/** Why a webhook is not called: the end of a sentence in the status of its Rollout, which its author reads. */
export class WebhookRefusal extends Error {}

type Lookup = (
  host: string,
  options: { readonly all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface WebhookRules {
  /** Entries of SHIPLOG_OAM_WEBHOOK_HOSTS: `host`, `host:port`, or `*.domain`. */
  readonly hosts: readonly string[];
  /** Whether no webhook reaches an address, whatever the hosts are. */
  readonly isForbidden: (address: string) => boolean;
  readonly lookup: Lookup;
}

/** Those for these hosts, with the addresses of this machine. */
export function webhookRules(hosts: readonly string[]): WebhookRules {
  return { hosts, isForbidden: isOwnOrLocal, lookup: lookupBySystem };
}

const METHODS = ['POST', 'GET'];
const PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/** Loopback, this network, link-local (where clouds serve their metadata), multicast, reserved. */
const LOCAL = new AddressRanges([
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/3',
  '::/96',
  'fe80::/10',
  'ff00::/8',
]);

/**
 * Throws WebhookRefusal unless a webhook may be called by its method, at its host. That comes before any connection, so
 * that the status of a Rollout tells nothing of the hosts that it may not call.
 */
export function assertAllowed(url: string, method: string, { hosts, isForbidden }: WebhookRules): void {
  if (!METHODS.includes(method))
    throw new WebhookRefusal(`webhooks are called by POST or GET, not by ${method}`);
  const parsed = URL.parse(url);
  const port = parsed?.port === '' ? PORTS[parsed.protocol] : parsed?.port;
  if (parsed === null || port === undefined || PORTS[parsed.protocol] === undefined)
    throw new WebhookRefusal('its URL is not one of http or https');
  const isListed = hosts.some((entry) => matches(entry, parsed.hostname, port, parsed.port === ''));
  if (!isListed)
    throw new WebhookRefusal(`SHIPLOG_OAM_WEBHOOK_HOSTS of Shiplog does not list ${parsed.host}`);
  const address = parsed.hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) !== 0 && isForbidden(address)) throw ofAddress();
}

/** Resolves names for connections of webhooks, which then go to one of the addresses that were checked here. */
export function guardedLookup({ lookup, isForbidden }: WebhookRules): LookupFunction {
  return (host, options, callback) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null || first === undefined) return callback(error ?? ofAddress(), '');
      if (addresses.some(({ address }) => isForbidden(address))) return callback(ofAddress(), '');
      if (options.all === true) return callback(null, addresses);
      return callback(null, first.address, first.family);
    });
  };
}

function isOwnOrLocal(address: string): boolean {
  const plain = address.replace(/%.*$/, '');
  const own = Object.values(networkInterfaces()).flatMap((entries = []) =>
    entries.map((entry) => entry.address),
  );
  return LOCAL.includes(plain) || new AddressRanges(own).includes(plain);
}

/** An entry without a port stands for the one of the scheme; URLs have their host in lower case. */
function matches(entry: string, hostname: string, port: string, isDefaultPort: boolean): boolean {
  const [, host = '', ofEntry] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
  if (ofEntry === undefined ? !isDefaultPort : ofEntry !== port) return false;
  return host.startsWith('*.') ? hostname.endsWith(host.slice(1)) : hostname === host;
}

function ofAddress(): WebhookRefusal {
  return new WebhookRefusal("its host has an address of Shiplog's own machine or of its link");
}
