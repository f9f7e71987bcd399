import { expect, onTestFinished } from 'vitest';
import type { ProgressiveRollout } from '@/lib/rollout/rollout';
import type { RolloutRecord } from '@/lib/api/record';
import type { WorkloadStatus } from '@/lib/engine/status';
import type { WorkloadDetail } from '@/lib/api/workloads';
import type { RolloutItem } from '@/lib/api/rollouts';
import type { Archive } from '@/server/archive/archive';
import type { Cluster } from '@/server/cluster/cluster';
import { VirtualClock } from '@/server/cluster/testing/virtual-clock';
import { Keys } from '@/server/shared/keys';
import { silentLogger } from '@/server/shared/log';
import type { ReadContext } from '@/server/views/context';
import { workloadDetail } from '@/server/reads/workload-detail';
import { findWorkload, type WorkloadName } from '@/server/views/find-workload';
import { deriveRolloutView, RolloutViews } from '@/server/views/rollout-view';
import { readRollout } from '@/server/reads/rollouts';
import { ChangeSummaries } from '@/server/views/change-summaries';
import { deriveView, ViewCache } from '@/server/views/workload-view';
import { Recorder } from '@/server/recorder/recorder';
import { MemoryArchive } from '@/server/recorder/testing/memory-archive';
import { readRecording, type Recording } from '@/test/replay/recording';
import { ReplayedCluster } from '@/test/replay/replayed-cluster';

const MARK = 'mark: ';
/** One tick of the recorder. */
const WRITE_MS = 600;

const LEAPS_MS = [WRITE_MS, 20_000, 60_000, 600_000, Infinity];

/** By kind: the delay of its watch in milliseconds. */
export type Lags = Readonly<Record<string, number>>;

/** Each kind has a watch of its own, without an order among them. */
function withLags(recording: Recording, lags: Lags): Recording {
  const lines = recording.lines.map((line) =>
    'object' in line ? { ...line, t: line.t + (lags[line.object.kind] ?? 0) } : line,
  );
  return { ...recording, lines: lines.sort((a, b) => a.t - b.t) };
}

/**
 * Replays a recorded watch of real controllers through cache, recorder and reads, on its own clock. The reads run
 * between two moments, while nothing changes.
 */
export class Replay {
  readonly archive = new MemoryArchive();
  readonly cluster: ReplayedCluster;
  readonly context: ReadContext;
  /** An error of the recorder: the end of the test fails with it. */
  readonly problems: unknown[] = [];
  readonly #recording: Recording;
  readonly #clock: VirtualClock;
  readonly #recorder: Recorder;
  #next = 0;

  private constructor(recording: Recording) {
    this.#recording = recording;
    this.#clock = new VirtualClock(recording.startMs);
    this.cluster = new ReplayedCluster(recording.startMs, () => this.#clock.now());
    const cluster = this.cluster as unknown as Cluster;
    const keys = new Keys(Buffer.alloc(32, 7));
    const now = () => this.#clock.now();
    const summaries = new ChangeSummaries(keys.mask);
    const views = new ViewCache(cluster, keys.mask, now);
    const archive = this.archive as unknown as Archive;
    const rollouts = new RolloutViews(cluster, views, now);
    const config = { links: [], namespaces: [] };
    this.context = { cluster, keys, views, rollouts, summaries, config, archive, now };
    this.#recorder = new Recorder({
      cluster,
      archive: this.archive,
      keys,
      summaries,
      view: (workload) => deriveView(cluster, workload, now()),
      actionsOf: () => [],
      configChangesOf: () => [],
      log: { ...silentLogger, error: (...messages) => this.problems.push(messages) },
      clock: this.#clock,
    });
  }

  /** Of a recording, or of the one in a folder and file: `argo/19-blue-green`. Ends with the test. */
  static async start(recording: string | Recording, lags: Lags = {}): Promise<Replay> {
    const read = typeof recording === 'string' ? readRecording(recording) : recording;
    const replay = new Replay(withLags(read, lags));
    await replay.#watch();
    return replay;
  }

  /** As {@link start}, without a recorder. */
  static startUnrecorded(recording: Recording): Replay {
    return new Replay(recording);
  }

  /** As {@link start}, with a recorder that starts with an existing archive, and begins to watch at a mark. */
  static async startWithArchive(
    recording: string | Recording,
    mark: string,
    fill: (archive: MemoryArchive) => Promise<void>,
  ): Promise<Replay> {
    const replay = new Replay(typeof recording === 'string' ? readRecording(recording) : recording);
    await replay.advanceToMark(mark);
    await fill(replay.archive);
    await replay.#watch();
    return replay;
  }

  async #watch(): Promise<void> {
    this.#recorder.start();
    await this.#clock.settle();
    onTestFinished(async () => {
      await this.#recorder.stop();
      expect([...this.problems, ...this.cluster.failures]).toEqual([]);
    });
  }

  /** The texts of all marks, in order. */
  get marks(): string[] {
    return this.#recording.lines.flatMap((line) =>
      'act' in line && line.act.startsWith(MARK) ? [line.act.slice(MARK.length)] : [],
    );
  }

  /** Up to the next mark whose text begins like this. `onMoment` is called after every event up to it. */
  async advanceToMark(text: string, onMoment?: () => void): Promise<void> {
    const line = this.#recording.lines.findIndex(
      (each, index) => index >= this.#next && 'act' in each && each.act.startsWith(`${MARK}${text}`),
    );
    if (line < 0) throw new Error(`no mark "${text}" is ahead`);
    await this.#replayTo(line + 1, onMoment);
  }

  /** Up to a moment, in milliseconds since the start. */
  async advanceTo(t: number, onMoment?: () => void): Promise<void> {
    const line = this.#recording.lines.findIndex((each) => each.t > t);
    await this.#replayTo(line < 0 ? this.#recording.lines.length : line, onMoment);
    await this.#passUntil(t);
  }

  async advanceToEnd(onMoment?: () => void): Promise<void> {
    await this.#replayTo(this.#recording.lines.length, onMoment);
  }

  /**
   * Plays what is ahead and calls `visit` after each line that `isMoment` chooses; lines in between arrive together. Time
   * in which nothing happens passes in a few leaps.
   */
  async visitMoments(
    isMoment: (line: number) => boolean,
    visit: (line: number) => void | Promise<void>,
  ): Promise<void> {
    const { lines } = this.#recording;
    for (; this.#next < lines.length; this.#next += 1) {
      const [index, line] = [this.#next, lines[this.#next]];
      if (line === undefined) return;
      await this.#leapUntil(line.t);
      if ('object' in line) this.cluster.apply(line);
      if (!isMoment(index)) continue;
      await this.#clock.settle();
      await visit(index);
    }
  }

  /** Lets time pass without events from the cluster: as when a controller has died. */
  async passTime(ms: number): Promise<void> {
    await this.#clock.advance(ms);
  }

  /** Milliseconds since the start. */
  get elapsedMs(): number {
    return this.#clock.now() - this.#recording.startMs;
  }

  /** The answer for the page of a workload; `resource` as `deployments.apps`. */
  async workload(resource: string, name: string): Promise<WorkloadDetail> {
    const { self } = this.cluster;
    return workloadDetail(
      this.context,
      self,
      await findWorkload(this.context, self, this.#ref(resource, name)),
    );
  }

  /** The answer for the page of a Rollout. */
  async rollout(resource: string, name: string): Promise<RolloutItem> {
    const { rollout } = await readRollout(this.context, this.cluster.self, this.#ref(resource, name));
    return rollout;
  }

  /** The current status of a workload; null before it exists. */
  statusOf(resource: string, name: string): WorkloadStatus | null {
    const { cluster, now } = this.context;
    const workload = cluster.cache.workload(resource, this.#recording.namespace, name);
    return workload === undefined ? null : deriveView(cluster, workload, now()).status;
  }

  /** The current Rollout; null before it exists. */
  rolloutOf(resource: string, name: string): ProgressiveRollout | null {
    const { cluster, views, now } = this.context;
    const object = cluster.rollouts.rollout(resource, this.#recording.namespace, name);
    return object === undefined ? null : deriveRolloutView(cluster, views, object, now()).rollout;
  }

  /** Until all observations are written. */
  async settleRecords(): Promise<void> {
    await this.#clock.advance(WRITE_MS);
  }

  /** In the order of their start, after all pending writes. */
  async records(name: string): Promise<RolloutRecord[]> {
    await this.settleRecords();
    return this.archive.recordsOfName(name);
  }

  #ref(resource: string, name: string): WorkloadName {
    return { resource, namespace: this.#recording.namespace, name };
  }

  async #replayTo(end: number, onMoment?: () => void): Promise<void> {
    const { lines } = this.#recording;
    for (; this.#next < end; this.#next += 1) {
      const line = lines[this.#next];
      if (line === undefined) return;
      await this.#passUntil(line.t);
      if (!('object' in line)) continue;
      this.cluster.apply(line);
      await this.#clock.settle();
      onMoment?.();
    }
  }

  /** What time alone changes is seen soon, after a while, and at the end. */
  async #leapUntil(t: number): Promise<void> {
    const end = this.#recording.startMs + t;
    for (const leap of LEAPS_MS) {
      const ms = Math.min(leap, end - this.#clock.now());
      if (ms > 0) await this.#clock.leap(ms);
    }
  }

  /** Time never goes back: a read may have let some pass. */
  async #passUntil(t: number): Promise<void> {
    const ms = this.#recording.startMs + t - this.#clock.now();
    if (ms > 0) await this.#clock.advance(ms);
  }
}
