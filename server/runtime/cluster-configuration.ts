import 'server-only';
import { loadEntries } from '@/server/cluster/cluster-entries';
import type { OwnSecrets } from '@/server/cluster/own-secrets';
import type { Clusters } from '@/server/runtime/clusters';
import { type Clock, systemClock } from '@/server/shared/clock';
import type { ClusterEntry } from '@/server/shared/cluster-entry';
import { type Discovery, FILE_BYTES_MAX } from '@/server/shared/clusters-file';
import type { Config } from '@/server/shared/config';
import { ConfigError, configReasonOf } from '@/server/shared/config-error';
import type { Logger } from '@/server/shared/log';
import { type FileContent, WatchedFile } from '@/server/shared/watched-file';

interface ClusterConfigurationOptions {
  config: Config;
  clusters: Clusters;
  /** Secrets of the namespace of Shiplog's pod. Throws ConfigError outside of one. */
  secrets: () => Pick<OwnSecrets, 'discover'>;
  /** Called when {@link ClusterConfiguration.problem} has changed. */
  onProblem: () => void;
  log: Logger;
  clock?: Clock;
}

/** How often labelled Secrets are listed, and clusters whose credentials could not be used are tried again. */
const PERIOD_MS = 60_000;
/** A slow Secret must not delay the start of the others. */
const START_MS = 2_000;

/** Keeps the clusters of the process as their configuration says, while that changes. */
export class ClusterConfiguration {
  readonly #options: ClusterConfigurationOptions;
  readonly #clock: Clock;
  readonly #stopping = new AbortController();
  #file: WatchedFile | undefined;
  #running: Promise<void> | undefined;
  #listed: readonly ClusterEntry[] = [];
  #discovery: Discovery | null = null;
  #discovered: readonly ClusterEntry[] = [];
  /** Whether the Secrets were listed since the discovery is configured as it is. */
  #isDiscovered = false;
  #fileProblem: string | null = null;
  #discoveryProblem: string | null = null;
  #problem: { reason: string; since: number } | null = null;

  constructor(options: ClusterConfigurationOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
  }

  /** Why a part of the configuration is not in force; null where all of it is. */
  get problem(): { reason: string; since: number } | null {
    return this.#problem;
  }

  /** Why clusters may be configured that are not among the entries; null where there are no others. */
  get gap(): string | null {
    if (this.#problem !== null) return this.#problem.reason;
    return this.#discovery === null || this.#isDiscovered
      ? null
      : 'The labelled Secrets have not been listed yet.';
  }

  /** Throws ConfigError where the configuration is wrong: there is no earlier one to continue with. */
  async start(): Promise<void> {
    const { config, clusters } = this.#options;
    const { entries, discovery, problems } = loadEntries(config);
    if (problems.length > 0) throw new ConfigError(problems);
    this.#listed = entries;
    this.#discovery = discovery;
    const { signal } = this.#stopping;
    const applied = clusters.apply(entries);
    if (config.clusters.kind === 'one') {
      await applied;
      // The only one: without it there is nothing to show.
      const [refused] = clusters.refused;
      if (refused !== undefined) throw new ConfigError([refused.reason]);
      return;
    }
    await Promise.race([applied, this.#clock.sleep(START_MS, signal).catch(() => undefined)]);
    if (config.clusters.kind === 'file')
      this.#file = new WatchedFile({
        path: config.clusters.path,
        bytesMax: FILE_BYTES_MAX,
        onContent: (content) => this.#onContent(content),
        clock: this.#clock,
      });
    this.#running = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#file?.close();
    await this.#running;
  }

  /** A file with a problem leaves everything as it is. */
  #onContent(content: FileContent): void {
    const { config, log } = this.#options;
    const { entries, discovery, problems } =
      content.state === 'read'
        ? loadEntries(config, content.text)
        : { entries: [], discovery: null, problems: [content.problem] };
    this.#fileProblem = problems.length === 0 ? null : problems.join(' ');
    this.#report();
    if (problems.length > 0) return;
    if (JSON.stringify([entries, discovery]) === JSON.stringify([this.#listed, this.#discovery])) return;
    log.info('the configuration of the clusters has changed', { clusters: entries.length });
    this.#listed = entries;
    this.#discovery = discovery;
    this.#isDiscovered = false;
    this.#apply();
    void this.#discover();
  }

  #apply(): void {
    const names = new Set(this.#listed.map(({ name }) => name));
    const discovered = this.#discovered.filter(({ name }) => !names.has(name));
    void this.#options.clusters.apply([...this.#listed, ...discovered]);
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      await this.#discover();
      await this.#clock.sleep(PERIOD_MS, signal).catch(() => undefined);
      if (!signal.aborted) await this.#options.clusters.retryRefused();
    }
  }

  /** While the Secrets can't be listed, those that were found before stay. */
  async #discover(): Promise<void> {
    const discovery = this.#discovery;
    const before = JSON.stringify(this.#discovered);
    try {
      const { signal } = this.#stopping;
      const found =
        discovery === null
          ? { entries: [], problems: [] }
          : await this.#options.secrets().discover(discovery, this.#listed, signal);
      if (discovery !== this.#discovery) return;
      this.#discovered = found.entries;
      this.#isDiscovered = true;
      this.#discoveryProblem = found.problems.length === 0 ? null : found.problems.join(' ');
    } catch (error) {
      if (this.#stopping.signal.aborted) return;
      this.#discoveryProblem = `The labelled Secrets can't be listed: ${configReasonOf(error)}`;
    }
    this.#report();
    if (JSON.stringify(this.#discovered) !== before) this.#apply();
  }

  #report(): void {
    const reason = [this.#fileProblem, this.#discoveryProblem].filter((each) => each !== null).join(' ');
    if (reason === (this.#problem?.reason ?? '')) return;
    this.#problem = reason === '' ? null : { reason, since: this.#clock.now() };
    const { log, onProblem } = this.#options;
    if (reason === '') log.info('the configuration of the clusters is in force');
    else log.error('the configuration of the clusters is not in force', { reason });
    onProblem();
  }
}
