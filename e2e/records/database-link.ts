import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';

/** A PostgreSQL that can become unreachable: a port of ours in front of its own. */
interface DatabaseLink {
  /** Address of the link. */
  readonly url: string;
  /** Breaks every connection and accepts none, until restored. */
  cut(): void;
  restore(): void;
  close(): Promise<void>;
}

/** Starts closed unless `isOpen`. */
export async function openDatabaseLink(databaseUrl: string, isOpen: boolean): Promise<DatabaseLink> {
  const target = new URL(databaseUrl);
  const folder = target.searchParams.get('host');
  const sockets = new Set<Socket>();
  let passes = isOpen;
  const server = createServer((near) => {
    near.on('error', () => near.destroy());
    if (!passes) {
      near.resetAndDestroy();
      return;
    }
    const port = Number(target.port || 5432);
    const far = folder === null ? connect(port, target.hostname) : connect(join(folder, `.s.PGSQL.${port}`));
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.once('close', () => sockets.delete(socket));
    }
    far.on('error', () => near.destroy()).pipe(near);
    near.pipe(far);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.searchParams.delete('host');
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  const cut = () => {
    passes = false;
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: url.href,
    cut,
    restore: () => {
      passes = true;
    },
    close: async () => {
      cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
