import type { KubeObject } from '@/lib/kube/object';
import { objectsAt, textAt } from '@/lib/kube/read';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import type { Worklist } from '@/server/controllers/engine/work-queue';
import type { ObjectChange } from '@/sandbox/controllers/runtime/informer';
import type { Resource } from '@/sandbox/controllers/runtime/resource';
import type { ObjectType } from '@/sandbox/controllers/runtime/resource-type';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

/** The objects of a kind that another project defines, while the API server serves it. */
export class CustomKind<T extends KubeObject> {
  #resource: Resource<T> | undefined;
  readonly #listeners: ((change: ObjectChange<T>) => void)[] = [];

  /** Undefined while the kind is not served, and until all its objects are known. */
  get resource(): Resource<T> | undefined {
    return this.#resource;
  }

  /** Called for every existing object when the kind is opened, and for every change from then on. */
  onChange(listener: (change: ObjectChange<T>) => void): void {
    this.#listeners.push(listener);
  }

  open(resource: Resource<T>): void {
    this.#resource = resource;
    resource.store.onChange((change) => this.#notify(change));
    for (const object of resource.store.all()) this.#notify({ object, before: undefined });
  }

  close(): void {
    this.#resource = undefined;
  }

  #notify(change: ObjectChange<T>): void {
    for (const listener of this.#listeners) listener(change);
  }
}

export interface CustomKindsOptions {
  readonly definitions: Resource<KubeObject>;
  register(sync: (key: ObjectKey) => Promise<void>): Worklist;
  /** Starts to watch a collection. */
  open(type: ObjectType): Resource<KubeObject>;
  close(resource: Resource<KubeObject>): Promise<void>;
}

interface Followed {
  readonly kind: CustomKind<KubeObject>;
  /** Its uid is that of the definition: another one under the same name describes other objects. */
  opened?: { readonly uid: string; readonly resource: Resource<KubeObject> };
}

/** Watches the definitions of kinds, and opens and closes the requested kinds. */
export class CustomKinds {
  readonly #options: CustomKindsOptions;
  /** By the name of the definition, `{plural}.{group}`. */
  readonly #followed = new Map<string, Followed>();

  constructor(options: CustomKindsOptions) {
    this.#options = options;
    const work = options.register((key) => this.#sync(key));
    options.definitions.store.onChange(({ object, before }) => {
      const definition = object ?? before;
      if (definition !== undefined && this.#followed.has(definition.metadata.name))
        work.add(keyOf(definition));
    });
  }

  /** Shared by all callers with the same name; to be called before the start. */
  follow<T extends KubeObject>(name: string): CustomKind<T> {
    const followed = this.#followed.get(name) ?? { kind: new CustomKind<KubeObject>() };
    this.#followed.set(name, followed);
    return followed.kind as unknown as CustomKind<T>;
  }

  async #sync(key: ObjectKey): Promise<void> {
    const definition = this.#options.definitions.store.get(key);
    const followed = this.#followed.get(key.slice(key.indexOf('/') + 1));
    if (followed === undefined) return;
    const { kind, opened } = followed;
    const type = typeDefinedBy(definition);
    const isSame =
      opened?.uid === definition?.metadata.uid && opened?.resource.type.apiVersion === type?.apiVersion;
    if (isSame) return;
    if (opened !== undefined) {
      followed.opened = undefined;
      kind.close();
      await this.#options.close(opened.resource);
    }
    if (type === undefined || definition === undefined) return;
    const resource = this.#options.open(type);
    followed.opened = { uid: definition.metadata.uid, resource };
    void resource.store.synced.then(() => {
      if (followed.opened?.resource === resource) kind.open(resource);
    });
  }
}

/** The collection of a kind, in the version in which it is stored; undefined unless it is served. */
function typeDefinedBy(definition: KubeObject | undefined): ObjectType | undefined {
  if (definition === undefined || isDeleting(definition)) return undefined;
  const { spec, status } = definition;
  const isEstablished = objectsAt(status, 'conditions').some(
    (condition) => condition.type === 'Established' && condition.status === 'True',
  );
  const stored = objectsAt(spec, 'versions').find(
    ({ storage, served }) => storage === true && served === true,
  );
  if (!isEstablished || stored === undefined) return undefined;
  return {
    apiVersion: `${textAt(spec, 'group') ?? ''}/${textAt(stored, 'name') ?? ''}`,
    kind: textAt(spec, 'names', 'kind') ?? '',
    plural: textAt(spec, 'names', 'plural') ?? '',
    namespaced: spec?.scope === 'Namespaced',
  };
}
