import 'server-only';
import { type Action } from '@/lib/api/actions';
import { type Workload } from '@/lib/workloads/workload';
import { FIELD_MANAGER } from '@/server/actions/write';
import { type Archive } from '@/server/archive/archive';
import { type Audit } from '@/server/audit';
import { type Logger } from '@/server/log';

export interface SharedActionsOptions {
  audit: Pick<Audit, 'actions'>;
  archive: () => Pick<Archive, 'actions'> | null;
  clusterId: () => string;
  log: Logger;
}

/** More than are done in a namespace between a write and the look at it. */
const ACTIONS_MAX = 100;

/**
 * The actions through every process on the archive: those of this one from its own file, those of others as they are
 * needed. An action is in the archive before its write is sent, so that whoever sees the write finds it there.
 */
export class SharedActions {
  readonly #options: SharedActionsOptions;
  /** By namespace, as they were read last. */
  readonly #others = new Map<string, readonly Action[]>();
  /** The template of each workload up to which the archive has been asked, by uid. */
  readonly #asked = new Map<string, string>();

  constructor(options: SharedActionsOptions) {
    this.#options = options;
  }

  /** Those at hand that may concern a namespace, newest first. */
  at(namespace: string): Action[] {
    const own = this.#options.audit.actions();
    const ids = new Set(own.map(({ id }) => id));
    const others = this.#others.get(namespace) ?? [];
    return [...own, ...others.filter(({ id }) => !ids.has(id))];
  }

  /** What has to be waited for before a new template is told of; null where nothing has. Never rejects. */
  learn({ uid, namespace, bodyId, writes }: Workload): Promise<void> | null {
    const before = this.#asked.get(uid);
    if (before === bodyId) return null;
    this.#asked.set(uid, bodyId);
    // At a start every workload is new; only what Shiplog has written is of interest.
    const isOurs = writes.some(({ manager, template }) => template && manager === FIELD_MANAGER);
    const archive = this.#options.archive();
    return archive === null || (before === undefined && !isOurs) ? null : this.#read(archive, namespace);
  }

  forget(uid: string): void {
    this.#asked.delete(uid);
  }

  async #read(archive: Pick<Archive, 'actions'>, namespace: string): Promise<void> {
    try {
      const { items } = await archive.actions({
        ...{ cluster: this.#options.clusterId(), namespace, kinds: ['rollback', 'restart'] },
        ...{ resource: null, name: null, actor: null, states: null, sinceMs: null, untilMs: null },
        ...{ limit: ACTIONS_MAX, cursor: null },
      });
      this.#others.set(
        namespace,
        items.map(({ action }) => action),
      );
    } catch (error) {
      this.#options.log.warn('actions through other processes cannot be read', { namespace, error });
    }
  }
}
