import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from '@playwright/test';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { scaleDeployment, seedScale } from '@/e2e/controlplane/seed-scale';
import { type Shiplog, type ShiplogOptions, startShiplog } from '@/e2e/support/shiplog';
import { seedRows } from '@/bench/support/seed-rows';
import { inspectable } from '@/bench/support/memory';
import { untilIdle } from '@/bench/support/processor-time';

export const SCALE = { deployments: 2_000, revisionsEach: 10 };
export const ROWS = 10_000;

/** Shared by the measurements and created on first use: one control plane that fills up, and one server on it. */
export class BenchEnvironment {
  readonly log: (line: string) => void;
  /** The checkout whose build runs; undefined: this one. */
  readonly #checkout: string | undefined;
  readonly #isOwnCluster: boolean;
  readonly #dataDir = mkdtempSync(join(tmpdir(), 'shiplog-bench-'));
  #cluster: Promise<ControlPlane> | undefined;
  #seeded: Promise<ControlPlane> | undefined;
  #server: Promise<Shiplog> | undefined;
  #browser: Promise<Browser> | undefined;
  #rows: Promise<void> | undefined;

  constructor(log: (line: string) => void, beside?: { checkout: string; cluster: Promise<ControlPlane> }) {
    this.log = log;
    this.#checkout = beside?.checkout;
    this.#isOwnCluster = beside === undefined;
    this.#cluster = beside?.cluster;
  }

  /** The same cluster, with the build of another checkout and a data directory of its own. */
  beside(checkout: string): BenchEnvironment {
    return new BenchEnvironment(this.log, { checkout, cluster: this.cluster() });
  }

  /** Without controllers: objects are exactly as written, and nothing else runs during a measurement. */
  cluster(): Promise<ControlPlane> {
    return (this.#cluster ??= startControlPlane({ controllers: false, log: this.log }));
  }

  /** 2,000 Deployments of ten revisions. */
  seeded(): Promise<ControlPlane> {
    return (this.#seeded ??= this.#seed());
  }

  /** A server of {@link inspectable} on the seeded cluster, with every cache and the archive filled. */
  server(): Promise<Shiplog> {
    return (this.#server ??= this.#recordingServer());
  }

  /** Its archive is filled by the first of them, or new. */
  newServer(
    cluster: ControlPlane,
    env: Record<string, string> = {},
    archive: 'filled' | 'new' = 'filled',
  ): Promise<Shiplog> {
    const options: ShiplogOptions = { kubeconfig: cluster.kubeconfigs.admin, env };
    if (archive === 'filled') options.dataDir = this.#dataDir;
    if (this.#checkout !== undefined) options.checkout = this.#checkout;
    return startShiplog(options);
  }

  /** The next measurement has another server. */
  async stopServer(): Promise<void> {
    await this.#server?.then((server) => server.stop()).catch(() => undefined);
    this.#server = undefined;
  }

  /** From now on the cluster, and the server with it, has 10,000 Deployments. */
  rows(): Promise<void> {
    return (this.#rows ??= this.#seedRows());
  }

  browser(): Promise<Browser> {
    return (this.#browser ??= chromium.launch({
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), '--disable-gpu', '--no-first-run'],
    }));
  }

  /** Ends what was started, whether it succeeded or failed. */
  async close(): Promise<void> {
    await this.#browser?.then((browser) => browser.close()).catch(() => undefined);
    await this.stopServer();
    if (this.#isOwnCluster) await this.#cluster?.then((cluster) => cluster.stop()).catch(() => undefined);
    rmSync(this.#dataDir, { recursive: true, force: true });
  }

  async #seed(): Promise<ControlPlane> {
    const cluster = await this.cluster();
    const { deployments, revisionsEach } = SCALE;
    if (await has(cluster, deployments - 1)) return cluster;
    this.log(`Writing ${deployments} Deployments with ${revisionsEach} revisions each, some minutes …`);
    await seedScale(cluster, SCALE);
    return cluster;
  }

  async #recordingServer(): Promise<Shiplog> {
    const server = await this.newServer(await this.seeded(), inspectable);
    await untilIdle(server.pid);
    return server;
  }

  async #seedRows(): Promise<void> {
    const cluster = await this.seeded();
    if (!(await has(cluster, ROWS - 1))) {
      this.log(`Writing ${ROWS - SCALE.deployments} more Deployments …`);
      await seedRows(cluster, SCALE.deployments, ROWS);
    }
    const server = await this.server();
    for (;;) {
      const { counts } = await server.get('/api/workloads?limit=1');
      if (counts.total >= ROWS) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

/** A cluster given by SHIPLOG_TEST_KUBECONFIG may have been filled by an earlier run. */
async function has(cluster: ControlPlane, index: number): Promise<boolean> {
  const { namespace, name } = scaleDeployment(index);
  return cluster
    .client()
    .get(`/apis/apps/v1/namespaces/${namespace}/deployments/${name}`)
    .then(
      () => true,
      () => false,
    );
}
