import { type AppError } from '@/lib/errors';
import { type ResourceType } from '@/lib/workloads/resource';
import { type Clock } from '@/server/cluster/clock';
import { discover } from '@/server/cluster/discovery';
import { type Transport } from '@/server/cluster/transport';
import { type Logger } from '@/server/log';

export interface ServedResourcesOptions {
  transport: Pick<Transport, 'json' | 'server'>;
  types: readonly ResourceType[];
  /** Called with the version when one is served, or served in another version, and with null when it no longer is. */
  onChange: (type: ResourceType, version: string | null) => void;
  clock: Clock;
  log: Logger;
}

/** A definition is installed by hand, and then somebody looks at the page. */
export const ASK_MS = 15_000;
const RETRY_MS = 2_000;

/**
 * Which resources that other projects define the cluster serves, and in which version. They are asked for again and
 * again, since a definition may come or go at any time.
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

  /** Whether everything has been answered once. */
  get isKnown(): boolean {
    return this.#options.types.every(({ id }) => this.#versions.has(id));
  }

  async run(signal: AbortSignal): Promise<void> {
    const { clock, types } = this.#options;
    if (types.length === 0) return;
    while (!signal.aborted) {
      await this.#ask();
      await clock.sleep(this.isKnown ? ASK_MS : RETRY_MS, signal).catch(() => undefined);
    }
  }

  async #ask(): Promise<void> {
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
          this.#fail(found.type, found.error, log);
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

  /** Who may not ask finds out by watching; for the rest what was known holds. */
  #fail(type: ResourceType, error: AppError, log: Logger): void {
    if (error.code === 'forbidden' && !this.#versions.has(type.id)) this.#set(type, type.versions[0] ?? null);
    else log.debug(`cannot tell whether ${type.id} is served`, { reason: error.message });
  }
}
