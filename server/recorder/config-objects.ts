import 'server-only';
import { LRUCache } from 'lru-cache';
import type { KubeObject } from '@/lib/kube/object';
import type { RolloutEvent } from '@/lib/api/record';
import { referencesOf } from '@/lib/workloads/references';
import { resourcePath, type ResourceType } from '@/lib/kube/resource';
import type { Template, Workload } from '@/lib/history/workload';
import type { Clock } from '@/server/shared/clock';
import { Reflector } from '@/server/cluster/reflector';
import type { ReflectorChange } from '@/server/cluster/reflector-store';
import type { Transport } from '@/server/cluster/transport';
import { warnOnce } from '@/server/cluster/warn-once';
import type { Logger } from '@/server/shared/log';

export interface ConfigObjectsOptions {
  transport: Pick<Transport, 'text' | 'stream' | 'server'>;
  /** Empty: the whole cluster. */
  namespaces: readonly string[];
  /** Decodes a template by the id of its body. */
  templateOf: (bodyId: string) => Template | undefined;
  log: Logger;
  clock: Clock;
}

/** When a ConfigMap or Secret last changed, and who wrote it. */
interface LastChange {
  key: string;
  verb: 'created' | 'changed' | 'deleted';
  /** RFC 3339. */
  at: string;
  manager: string | null;
}

const kinds: readonly ResourceType[] = [
  { id: 'configmaps', group: '', versions: ['v1'], plural: 'configmaps', kind: 'ConfigMap' },
  { id: 'secrets', group: '', versions: ['v1'], plural: 'secrets', kind: 'Secret' },
];

const DELETIONS_MAX = 5_000;
const TEMPLATES_MAX = 2_000;

/**
 * Follows when ConfigMaps and Secrets change. Reads their metadata alone, and stores only the name and the time of the last
 * write. `kubectl apply` writes a copy of the content into the metadata; what has one passes through this process.
 */
export class ConfigObjects {
  readonly #options: ConfigObjectsOptions;
  readonly #current = new Map<string, LastChange>();
  readonly #deleted = new LRUCache<string, LastChange>({ max: DELETIONS_MAX });
  readonly #names = new LRUCache<string, readonly string[]>({ max: TEMPLATES_MAX });
  readonly #reflectors: Reflector<LastChange>[] = [];

  constructor(options: ConfigObjectsOptions) {
    this.#options = options;
  }

  /** Returns at once. Retries at growing intervals where the cluster does not allow it. */
  start(): void {
    const { namespaces, transport, clock, log } = this.#options;
    for (const type of kinds) {
      for (const namespace of namespaces.length === 0 ? [undefined] : namespaces) {
        const reflector = new Reflector<LastChange>({
          transport,
          path: resourcePath(type, 'v1', namespace),
          metadataOnly: true,
          ingest: (object) => lastChangeOf(type.kind, object),
          onChange: (change) => this.#record(change),
          onState: warnOnce(log, `changes of ${type.plural} are not being recorded`, { namespace }),
          clock,
          log,
        });
        this.#reflectors.push(reflector);
        reflector.start();
      }
    }
  }

  async stop(): Promise<void> {
    await Promise.all(this.#reflectors.map((reflector) => reflector.stop()));
  }

  /** The last change of each ConfigMap and Secret that the workload's current template names. */
  changesFor({ namespace, bodyId }: Pick<Workload, 'namespace' | 'bodyId'>): RolloutEvent[] {
    return this.#namesIn(bodyId).flatMap((name) => {
      const key = `${namespace}/${name}`;
      const change = this.#current.get(key) ?? this.#deleted.get(key);
      return change === undefined ? [] : [eventOf(name, change)];
    });
  }

  #namesIn(bodyId: string): readonly string[] {
    const known = this.#names.get(bodyId);
    if (known !== undefined) return known;
    const template = this.#options.templateOf(bodyId);
    if (template === undefined) return [];
    const names = referencesOf(template).flatMap(({ kind, name }) =>
      kind === 'ConfigMap' || kind === 'Secret' ? [`${kind} ${name}`] : [],
    );
    this.#names.set(bodyId, names);
    return names;
  }

  #record(change: ReflectorChange<LastChange>): void {
    const { value } = change;
    const now = new Date(this.#options.clock.now()).toISOString();
    if (change.type === 'deleted') {
      this.#current.delete(value.key);
      this.#deleted.set(value.key, { key: value.key, verb: 'deleted', at: now, manager: null });
      return;
    }
    // Without managed fields only the watch gives the time.
    const isUnsigned = change.type === 'updated' && value.manager === null;
    this.#current.set(value.key, isUnsigned ? { ...value, verb: 'changed', at: now } : value);
    this.#deleted.delete(value.key);
  }
}

/** For an object whose managed fields were removed, its creation. */
function lastChangeOf(kind: string, { metadata }: KubeObject): LastChange {
  const { name, namespace = '', creationTimestamp = '', managedFields = [] } = metadata;
  let last: LastChange = {
    key: `${namespace}/${kind} ${name}`,
    verb: 'created',
    at: creationTimestamp,
    manager: null,
  };
  for (const { manager = null, time } of managedFields) {
    if (time === undefined || Date.parse(time) < Date.parse(last.at)) continue;
    last = { ...last, at: time, manager };
  }
  // Within the second of its creation, only a second writer proves a change.
  const isNew = last.at === creationTimestamp && managedFields.length < 2;
  return isNew ? last : { ...last, verb: 'changed' };
}

function eventOf(object: string, { verb, at, manager }: LastChange): RolloutEvent {
  const by = manager === null ? '' : ` by ${manager.slice(0, 100)}`;
  return {
    at,
    reason: 'ConfigChanged',
    message: `${object}, which the template names, was ${verb}${by}`,
    object,
    count: 1,
  };
}
