import type { AppError } from '@/lib/errors';
import type { ResourceType } from '@/lib/kube/resource';
import type { Clock } from '@/server/shared/clock';
import { discover } from '@/server/cluster/discovery';
import type { Transport } from '@/server/cluster/transport';
import type { Logger } from '@/server/shared/log';

interface ServedResourcesOptions {
  transport: Pick<Transport, 'json' | 'server'>;
  types: readonly ResourceType[];
  /**
   * Called with the version when one is served, or served in another version, and with null when it no longer
   * is.
   */
  onChange: (type: ResourceType, version: string | null) => void;
  clock: Clock;
  log: Logger;
}

/** A definition is installed by hand, and then its author opens the page. */
export const DISCOVERY_INTERVAL_MS = 15_000;
const RETRY_MS = 2_000;

/**
 * Which resources of other projects the cluster serves, and in which version. The lookup is repeated, since a
 * definition may be added or deleted at any time.
 */
export class ServedResources {
  readonly #options: ServedResourcesOptions;
  readonly #versions = new Map<string, string | null>();

  constructor(options: ServedResourcesOptions) {
    this.#options = options;
  }

  /** Null where it is absent, undefined before the first answer. */
  versionOf({ id }: ResourceType): string | null | undefined {
    return this.#versions.get(id);
  }

  /** Whether every lookup has been answered once. */
  get isDiscovered(): boolean {
    return this.#options.types.every(({ id }) => this.#versions.has(id));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, types } = this.#options;
    if (types.length === 0) return;
    while (!signal.aborted) {
      await this.#discover();
      await clock.sleep(this.isDiscovered ? DISCOVERY_INTERVAL_MS : RETRY_MS, signal).catch(() => undefined);
    }
  }

  async #discover(): Promise<void> {
    const { transport, types, log } = this.#options;
    for (const found of await discover(transport, types)) {
      switch (found.state) {
        case 'served':
          this.#set(found.type, found.version);
          break;
        case 'absent':
          this.#set(found.type, null);
          break;
        case 'unknown':
          this.#handleFailure(found.type, found.error, log);
          break;
        default:
          found satisfies never;
      }
    }
  }

  #set(type: ResourceType, version: string | null): void {
    const before = this.#versions.get(type.id);
    if (before === version) return;
    this.#versions.set(type.id, version);
    this.#options.onChange(type, version);
  }

  /** A process without the right finds out by watching; otherwise the previous state holds. */
  #handleFailure(type: ResourceType, error: AppError, log: Logger): void {
    if (error.code === 'forbidden' && !this.#versions.has(type.id)) this.#set(type, type.versions[0] ?? null);
    else log.debug(`it is unknown whether ${type.id} is served`, { reason: error.message });
  }
}
