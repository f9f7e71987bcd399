/** A request from an address, as a server with `watchConnections` hands it to its handlers. */
export function requestFrom(
  address: string,
  headers: Record<string, string> = {},
  { url = 'http://localhost:8440/', method = 'GET' }: { url?: string; method?: string } = {},
): Request {
  const name = (globalThis as { [slot]?: string })[slot] ?? '';
  return new Request(url, { method, headers: { ...headers, [name]: address } });
}

const slot: unique symbol = Symbol.for('shiplog.peerHeader') as never;
