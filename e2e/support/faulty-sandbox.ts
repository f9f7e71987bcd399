import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type KubeClient, kubeClient } from '@/e2e/controlplane/kube-client';
import { SandboxFaults } from '@/e2e/support/sandbox-faults';
import { type Shiplog, type ShiplogOptions, startShiplog } from '@/e2e/support/shiplog';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';

/** An unseeded sandbox with controllers, in this process, and files for access to it. */
export interface FaultySandbox {
  readonly api: SandboxApi;
  /** For Shiplog's user alone. */
  readonly faults: SandboxFaults;
  /** As a user without faults. */
  readonly client: KubeClient;
  /** Of Shiplog's user. */
  readonly kubeconfig: string;
  startShiplog(options?: Partial<ShiplogOptions>): Promise<Shiplog>;
  /** Puts the clock of the cluster and of its controllers ahead. */
  skewClock(ms: number): Promise<void>;
  /** Writes another token into the kubeconfig. */
  writeKubeconfig(token: string): void;
  close(): Promise<void>;
}

const SHIPLOG_USER = 'admin';
const CONTROLLER_USER = 'seeder';
const NODES = ['worker-1', 'worker-2'].map((name) => ({ name }));

export async function startFaultySandbox(): Promise<FaultySandbox> {
  const directory = mkdtempSync(join(tmpdir(), 'shiplog-faults-'));
  const api = await startSandboxApi();
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, api.kubeconfig(SHIPLOG_USER));
  let skewMs = 0;
  const now = () => Date.now() + skewMs;
  const stopControllers = await runControllers(api, join(directory, 'controllers'), now);
  const faults = new SandboxFaults(api, SHIPLOG_USER);
  const client = kubeClient(api.url, api.tokens[CONTROLLER_USER], api.ca);

  return {
    api,
    faults,
    client,
    kubeconfig,
    skewClock: async (ms) => {
      skewMs = ms;
      await faults.skewClock(ms);
    },
    startShiplog: (options) => startShiplog({ kubeconfig, ...options }),
    writeKubeconfig: (token) => {
      const text = api.kubeconfig(SHIPLOG_USER);
      writeFileSync(kubeconfig, text.replaceAll(api.tokens[SHIPLOG_USER] ?? '', token));
    },
    close: async () => {
      await stopControllers();
      await Promise.all([client.close(), faults.close()]);
      await api.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function runControllers(
  api: SandboxApi,
  file: string,
  now: () => number,
): Promise<() => Promise<void>> {
  writeFileSync(file, api.kubeconfig(CONTROLLER_USER));
  allowServerModules();
  const [{ loadCredentials }, { createTransport }, { systemClock }, { silentLogger }, { startControllers }] =
    await Promise.all([
      import('@/server/cluster/credentials'),
      import('@/server/cluster/transport'),
      import('@/server/shared/clock'),
      import('@/server/shared/log'),
      import('@/sandbox/controllers/controllers'),
    ]);
  const credentials = loadCredentials({ kind: 'kubeconfig', files: [file] });
  const transport = createTransport({ credentials, readOnly: false });
  const controllers = startControllers({
    transport,
    clock: { ...systemClock, now },
    log: silentLogger,
    nodes: NODES,
    podBehaviour: () => ({ outcome: 'ready', startsAfterMs: 0, readyAfterMs: 0, stopsAfterMs: 0 }),
  });

  return async () => {
    await controllers.stop();
    await transport.close();
  };
}

/** Only a bundler removes the `server-only` import that excludes server modules from the browser. */
function allowServerModules(): void {
  const empty = new URL('../../test/empty.ts', import.meta.url).href;
  registerHooks({
    resolve: (specifier, context, next) => next(specifier === 'server-only' ? empty : specifier, context),
  });
}
