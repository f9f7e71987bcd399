import { BlockList, isIP } from 'node:net';
import { isLoopback } from '@/server/shared/private-url';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for an address, undefined where there is none, by the rules of
 * kubectl: those of Go's httpproxy. https://pkg.go.dev/golang.org/x/net/http/httpproxy#Config
 */
export function proxyFor(server: string, env: Env): string | undefined {
  const url = new URL(server);
  const named = url.protocol === 'https:' ? valueOf(env, 'HTTPS_PROXY') : valueOf(env, 'HTTP_PROXY');
  if (named === undefined) return undefined;
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  if (isLoopback(host)) return undefined;
  const direct = (valueOf(env, 'NO_PROXY') ?? '').toLowerCase().split(',');
  if (direct.some((entry) => isCovered(entry.trim(), host, port))) return undefined;
  return named.includes('://') ? named : `http://${named}`;
}

/** Upper case first, as in Go. */
function valueOf(env: Env, name: string): string | undefined {
  return env[name] || env[name.toLowerCase()] || undefined;
}

/** One entry of NO_PROXY: `*`, an address, a network, a name with its subdomains, or only the subdomains. */
function isCovered(entry: string, host: string, port: string): boolean {
  if (entry === '') return false;
  if (entry === '*') return true;
  if (entry.includes('/')) return isInNetwork(entry, host);
  const [, name = '', onlyPort] =
    /^\[?([^\]]*?)\]?(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  if (isIP(name) !== 0 || isIP(host) !== 0) return name === host;
  const suffix = name.replace(/^\*?\./, '.');
  return suffix.startsWith('.') ? host.endsWith(suffix) : host === suffix || host.endsWith(`.${suffix}`);
}

function isInNetwork(network: string, host: string): boolean {
  const [address = '', bits = ''] = network.split('/');
  const family = isIP(address);
  if (family === 0 || isIP(host) !== family || !/^\d{1,3}$/.test(bits)) return false;
  if (Number(bits) > (family === 4 ? 32 : 128)) return false;
  const list = new BlockList();
  list.addSubnet(address, Number(bits), family === 4 ? 'ipv4' : 'ipv6');
  return list.check(host, family === 4 ? 'ipv4' : 'ipv6');
}
