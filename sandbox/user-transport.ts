import type { Credentials } from '@/server/cluster/credentials';
import { createTransport, type Transport } from '@/server/cluster/transport';
import { type SandboxApi } from '@/sandbox/api/sandbox-api';

/** A transport to the sandbox's API server as one of its users, without a kubeconfig. */
export function createUserTransport(api: SandboxApi, user: string): Transport {
  const credentials: Credentials = {
    server: api.url,
    context: 'sandbox',
    clusterHash: '',
    current: () =>
      Promise.resolve({
        headers: { Authorization: `Bearer ${api.tokens[user] ?? ''}` },
        impersonate: undefined,
        connection: { type: 'direct', connect: { ca: api.ca } },
        fingerprint: `${user} ${api.ca}`,
      }),
    renew: () => undefined,
  };
  return createTransport({ credentials, readOnly: false });
}
