import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { AppError } from '@/lib/errors';
import { type RolloutRecord, type WorkloadLife } from '@/lib/ledger/record';
import { workloadKinds } from '@/lib/workloads/table';
import { type Onlooker, NAMESPACE, type Stage, until } from '@/e2e/ledger/stage';
import { type Archive } from '@/server/archive/archive';
import { openArchive } from '@/server/archive/open';
import { type Clock } from '@/server/cluster/clock';
import { LiveCluster } from '@/server/cluster/live-cluster';
import { Keys } from '@/server/keys';
import { type Logger, silentLogger } from '@/server/log';
import { Summaries } from '@/server/reads/summaries';
import { deriveView } from '@/server/reads/view';
import { Recorder } from '@/server/recorder/recorder';

const keys = new Keys(Buffer.alloc(32, 7));
/** A tick that has begun before something was seen does not count. */
const TICKS = 2;
/** The disk is not what is proven here, and it would take most of the time. */
const MEMORY = existsSync('/dev/shm') ? '/dev/shm' : tmpdir();

interface Shift {
  archive: Archive;
  cluster: LiveCluster;
  recorder: Recorder;
  ticks: () => number;
  /** From then on nothing reaches the archive any more. */
  die: () => void;
}

/** What of Shiplog watches and records, with an archive in a file; it can be stopped, killed and started again. */
export class Watcher implements Onlooker {
  readonly #stage: Stage;
  readonly #folder = mkdtempSync(join(MEMORY, 'shiplog-month-'));
  /** Whatever the recorder complained of. */
  readonly problems: unknown[] = [];
  readonly #log: Logger = { ...silentLogger, error: (...told) => this.problems.push(told) };
  #shift: Shift | null = null;

  constructor(stage: Stage) {
    this.#stage = stage;
    stage.onlookers.push(this);
  }

  get cache() {
    return this.#shift?.cluster.cache ?? null;
  }

  async settled(): Promise<void> {
    const shift = this.#shift;
    if (shift === null) return;
    const enough = shift.ticks() + TICKS;
    await until(() => shift.ticks() >= enough);
  }

  async start(): Promise<void> {
    const { clock } = this.#stage;
    const archive = await openArchive({ databaseUrl: undefined, dataDir: this.#folder });
    const cluster = new LiveCluster({
      credentials: this.#stage.credentials(),
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
      archive: mortal(archive, () => isDead),
      keys,
      summaries: new Summaries(keys),
      view: (workload) => deriveView(cluster, workload, clock.now()),
      actionsOf: () => [],
      relatedTo: () => [],
      retention: { days: 0, perWorkload: 0 },
      log: this.#log,
      clock: pace,
    });
    cluster.start();
    recorder.start();
    this.#shift = { archive, cluster, recorder, ticks: () => ticks, die: () => (isDead = true) };
    await until(() => recorder.state.state === 'recording' && cluster.ready);
    await this.settled();
  }

  async stop(): Promise<void> {
    const shift = this.#shift;
    this.#shift = null;
    if (shift === null) return;
    await shift.recorder.stop();
    await shift.cluster.stop();
    await shift.archive.close();
  }

  /** Without a last word. */
  async kill(): Promise<void> {
    this.#shift?.die();
    await this.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    rmSync(this.#folder, { recursive: true });
  }

  /** Earliest first. */
  async lives(resource: string, name: string): Promise<WorkloadLife[]> {
    const cluster = this.#running.cluster.identity.id;
    const lives = await this.archive.lives(cluster, resource, NAMESPACE, name);
    return lives.toSorted((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt));
  }

  /** In the order of their activations. */
  async records({ uid }: WorkloadLife): Promise<RolloutRecord[]> {
    const listed = await this.archive.recordsOf(uid);
    return listed.map(({ record }) => record).toSorted((a, b) => a.activation - b.activation);
  }

  get archive(): Archive {
    return this.#running.archive;
  }

  get #running(): Shift {
    if (this.#shift === null) throw new Error('It does not run.');
    return this.#shift;
  }
}

function mortal(archive: Archive, isDead: () => boolean): Archive {
  return new Proxy(archive, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target);
      if (typeof member !== 'function') return member;
      return (...given: unknown[]): unknown =>
        isDead()
          ? Promise.reject(new AppError('archive_unavailable', 'It is dead.', { retry: true }))
          : (Reflect.apply(member, target, given) as unknown);
    },
  });
}
