import { tokenIn } from '@/e2e/controlplane/kubeconfig';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import type { User } from '@/e2e/controlplane/users';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { loadCredentials } from '@/server/cluster/credentials';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { BearerToken } from '@/server/shared/bearer-token';
import { silentLogger } from '@/server/shared/log';
import type { Credential, Viewer } from '@/server/shared/viewer';

/** The cluster as a process with the rights of `admin` uses it; the caller stops it. */
export function connectTo({ kubeconfigs }: ControlPlane): LiveCluster {
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [kubeconfigs.admin] });
  const options = { readOnly: false, namespaces: [], kinds: workloadKinds, log: silentLogger };
  return new LiveCluster({ credentials, ...options });
}

export function viewerWith(name: string, credential: Credential): Viewer {
  return { id: `${credential.kind}:${name}`, name, credential, isProcess: false };
}

export function viewerWithToken(name: string, token: string): Viewer {
  return viewerWith(name, { kind: 'token', token: new BearerToken(token) });
}

/** Signed in with the token of that user's kubeconfig. */
export function userWithToken({ kubeconfigs }: ControlPlane, user: User): Viewer {
  return viewerWithToken(user, tokenIn(kubeconfigs[user]) ?? '');
}
