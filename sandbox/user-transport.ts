import type { Credentials, RequestAuth } from '@/server/cluster/credentials';
import { type ClusterTransport, createTransport } from '@/server/cluster/transport';
import { type SandboxApi } from '@/sandbox/api/sandbox-api';

/** A transport to the sandbox's API server as one of its users, without a kubeconfig. */
export function createUserTransport(api: SandboxApi, user: string): ClusterTransport {
  const server: RequestAuth = {
    headers: {},
    impersonate: undefined,
    connection: { type: 'direct', connect: { ca: api.ca } },
    fingerprint: api.ca,
  };
  const credentials: Credentials = {
    server: api.url,
    context: 'sandbox',
    clusterHash: '',
    current: () =>
      Promise.resolve({ ...server, headers: { Authorization: `Bearer ${api.tokens[user] ?? ''}` } }),
    anonymous: () => Promise.resolve(server),
    renew: () => undefined,
  };
  return createTransport({ credentials, readOnly: false });
}
