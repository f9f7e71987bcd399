import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError } from '@/lib/errors';
import type { RolloutRecord } from '@/lib/api/record';
import type { WorkloadIncarnation } from '@/lib/api/incarnation';
import { workloadKinds } from '@/lib/workloads/kinds/table';
import { type SandboxObserver, NAMESPACE, type VirtualSandbox, until } from '@/e2e/records/virtual-sandbox';
import type { Archive } from '@/server/archive/archive';
import { intercept } from '@/server/archive/intercept';
import { openArchive } from '@/server/archive/open';
import type { Clock } from '@/server/shared/clock';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { Keys } from '@/server/shared/keys';
import { type Logger, silentLogger } from '@/server/shared/log';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { deriveView } from '@/server/views/workload-view';
import { Recorder } from '@/server/recorder/recorder';

const keys = new Keys(Buffer.alloc(32, 7));
/** A tick that began before an observation does not count. */
const TICKS = 2;
/** The test is not about the disk, which would take most of the time. */
const MEMORY_FOLDER = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

interface RecorderRun {
  archive: Archive;
  cluster: LiveCluster;
  recorder: Recorder;
  ticks: () => number;
  /** From then on nothing is written to the archive. */
  die: () => void;
}

/** The watching and recording half of Shiplog, with an archive in a file; it can be stopped, killed and restarted. */
export class RestartableRecorder implements SandboxObserver {
  readonly #sandbox: VirtualSandbox;
  readonly #folder = mkdtempSync(join(MEMORY_FOLDER, 'shiplog-month-'));
  /** Errors and warnings of the recorder. */
  readonly problems: unknown[] = [];
  readonly #log: Logger = { ...silentLogger, error: (...args) => this.problems.push(args) };
  #run: RecorderRun | null = null;

  constructor(sandbox: VirtualSandbox) {
    this.#sandbox = sandbox;
    sandbox.observers.push(this);
  }

  get cache() {
    return this.#run?.cluster.cache ?? null;
  }

  async settled(): Promise<void> {
    const run = this.#run;
    if (run === null) return;
    const enough = run.ticks() + TICKS;
    await until(() => run.ticks() >= enough);
  }

  async start(): Promise<void> {
    const { clock } = this.#sandbox;
    const archive = await openArchive({ databaseUrl: undefined, dataDir: this.#folder });
    const cluster = new LiveCluster({
      credentials: this.#sandbox.credentials(),
      readOnly: true,
      namespaces: [],
      kinds: workloadKinds,
      log: silentLogger,
    });
    let ticks = 0;
    let isDead = false;
    const pace: Clock = {
      now: () => clock.now(),
      sleep: (_ms, signal) => {
        ticks += 1;
        return setTimeout(1, undefined, { signal });
      },
    };
    const recorder = new Recorder({
      cluster,
      archive: withKillSwitch(archive, () => isDead),
      keys,
      summaries: new ChangeSummaries(keys.mask),
      view: (workload) => deriveView(cluster, workload, clock.now()),
      actionsOf: () => [],
      configChangesOf: () => [],
      log: this.#log,
      clock: pace,
    });
    cluster.start();
    recorder.start();
    this.#run = { archive, cluster, recorder, ticks: () => ticks, die: () => (isDead = true) };
    await until(() => recorder.state.state === 'recording' && cluster.ready);
    await this.settled();
  }

  async stop(): Promise<void> {
    const run = this.#run;
    this.#run = null;
    if (run === null) return;
    await run.recorder.stop();
    await run.cluster.stop();
    await run.archive.close();
  }

  /** Without a final write. */
  async kill(): Promise<void> {
    this.#run?.die();
    await this.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }

  /** Earliest first. */
  async incarnations(resource: string, name: string): Promise<WorkloadIncarnation[]> {
    const cluster = this.#running.cluster.identity.id;
    const incarnations = await this.archive.workloads.incarnations(cluster, resource, NAMESPACE, name);
    return incarnations.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  }

  /** In the order of their activations. */
  async records(incarnation: WorkloadIncarnation): Promise<RolloutRecord[]> {
    const listed = await this.archive.rollouts.of(incarnation);
    return listed.map(({ record }) => record).toSorted((a, b) => a.activation - b.activation);
  }

  get archive(): Archive {
    return this.#running.archive;
  }

  get #running(): RecorderRun {
    if (this.#run === null) throw new Error('It does not run.');
    return this.#run;
  }
}

function withKillSwitch(archive: Archive, isDead: () => boolean): Archive {
  return intercept(archive, (_name, call) =>
    isDead() ? Promise.reject(new AppError('archive_unavailable', 'It is dead.', { retry: true })) : call(),
  );
}
