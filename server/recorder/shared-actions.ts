import 'server-only';
import { FIELD_MANAGER } from '@/lib/kube/managed-fields';
import type { Action } from '@/lib/api/action';
import type { Workload } from '@/lib/history/workload';
import type { ActionRepository } from '@/server/archive/actions';
import type { Audit } from '@/server/audit/audit';
import type { Logger } from '@/server/shared/log';

export interface SharedActionsOptions {
  audit: Pick<Audit, 'actions'>;
  archive: () => { actions: Pick<ActionRepository, 'list'> } | null;
  clusterId: () => string;
  log: Logger;
}

/** More than happen in a namespace between a write and its observation. */
const ACTIONS_MAX = 100;

/**
 * The actions through every process on the archive: those of this one from its own file, those of others read as
 * needed. An action is in the archive before its write is sent, so that every process that observes the write finds it
 * there.
 */
export class SharedActions {
  readonly #options: SharedActionsOptions;
  /** By namespace, as last read. */
  readonly #othersByNamespace = new Map<string, readonly Action[]>();
  /** The template of each workload for which the actions were last read, by uid. */
  readonly #loadedTemplates = new Map<string, string>();

  constructor(options: SharedActionsOptions) {
    this.#options = options;
  }

  /** Those in memory that may concern a namespace, newest first. */
  inNamespace(namespace: string): Action[] {
    const own = this.#options.audit.actions();
    const ids = new Set(own.map(({ id }) => id));
    const others = this.#othersByNamespace.get(namespace) ?? [];
    return [...own, ...others.filter(({ id }) => !ids.has(id))];
  }

  /** What must resolve before a new template is recorded; null: nothing. Never rejects. */
  load({ uid, namespace, bodyId, writes }: Workload): Promise<void> | null {
    const before = this.#loadedTemplates.get(uid);
    if (before === bodyId) return null;
    this.#loadedTemplates.set(uid, bodyId);
    // At a start every workload is new; only what Shiplog has written matters.
    const isOurs = writes.some(({ manager, template }) => template && manager === FIELD_MANAGER);
    const archive = this.#options.archive();
    return archive === null || (before === undefined && !isOurs)
      ? null
      : this.#read(archive.actions, namespace);
  }

  forget(uid: string): void {
    this.#loadedTemplates.delete(uid);
  }

  async #read(actions: Pick<ActionRepository, 'list'>, namespace: string): Promise<void> {
    try {
      const { items } = await actions.list({
        clusters: [this.#options.clusterId()],
        namespace,
        kinds: ['rollback', 'restart'],
        limit: ACTIONS_MAX,
      });
      this.#othersByNamespace.set(
        namespace,
        items.map(({ action }) => action),
      );
    } catch (error) {
      this.#options.log.warn('actions of other instances could not be read', { namespace, error });
    }
  }
}
