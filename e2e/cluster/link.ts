import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { rewriteServer } from '@/e2e/controlplane/kubeconfig';
import type { User } from '@/e2e/controlplane/users';

/** A network link between Shiplog and the API server that can fail as networks do. */
export interface NetworkLink {
  /** Address of the link. */
  readonly kubeconfig: string;
  /** Connections that are open now. */
  connections(): number;
  /** Resets every connection; new ones pass. */
  cut(): void;
  /** Resets every connection and refuses new ones, until restored. */
  refuse(): void;
  /**
   * Discards everything that is sent, on connections old and new, and closes none. After the restore, the old ones
   * remain dead.
   */
  swallow(): void;
  restore(): void;
  close(): Promise<void>;
}

export async function openLink(cluster: ControlPlane, user: User = 'admin'): Promise<NetworkLink> {
  const { hostname, port } = new URL(cluster.server);
  const pairs = new Map<Socket, Socket>();
  let state: 'open' | 'refusing' | 'swallowing' = 'open';
  const server = createServer((near) => {
    if (state === 'refusing') {
      near.resetAndDestroy();
      return;
    }
    if (state === 'swallowing') {
      near.on('error', () => near.destroy()).resume();
      return;
    }
    const far = connect(Number(port), hostname);
    pairs.set(near, far);
    const end = () => {
      pairs.delete(near);
      near.destroy();
      far.destroy();
    };
    for (const socket of [near, far]) socket.on('error', end).on('close', end).setNoDelay(true);
    near.pipe(far).pipe(near);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port: own } = server.address() as AddressInfo;
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-link-'));
  const kubeconfig = join(directory, 'kubeconfig');
  rewriteServer(cluster.kubeconfigs[user], kubeconfig, `https://127.0.0.1:${own}`);
  const cut = () => {
    for (const near of [...pairs.keys()]) near.resetAndDestroy();
  };

  return {
    kubeconfig,
    connections: () => pairs.size,
    cut,
    refuse: () => {
      state = 'refusing';
      cut();
    },
    swallow: () => {
      state = 'swallowing';
      for (const [near, far] of pairs) {
        near.unpipe(far).resume();
        far.unpipe(near).resume();
      }
    },
    restore: () => {
      state = 'open';
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
