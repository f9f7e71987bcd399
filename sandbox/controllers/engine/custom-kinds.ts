import { type KubeObject } from '@/lib/kube/object';
import { keyOf, type ObjectKey } from '@/server/cluster/reflector-store';
import { CustomKind, typeDefinedBy } from '@/sandbox/controllers/engine/custom-kind';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ObjectType } from '@/sandbox/controllers/engine/resource-type';
import { type Worklist } from '@/server/controllers/engine/work-queue';

export interface CustomKindsOptions {
  readonly definitions: Resource<KubeObject>;
  register(sync: (key: ObjectKey) => Promise<void>): Worklist;
  /** Starts to watch a collection. */
  open(type: ObjectType): Resource<KubeObject>;
  close(resource: Resource<KubeObject>): Promise<void>;
}

interface Opened {
  /** Of the definition; another one under the same name describes other objects. */
  readonly uid: string;
  readonly resource: Resource<KubeObject>;
}

/** Watches the definitions of kinds, and opens and closes the requested kinds. */
export class CustomKinds {
  readonly #options: CustomKindsOptions;
  readonly #kinds = new Map<string, CustomKind<KubeObject>>();
  readonly #opened = new Map<string, Opened>();

  constructor(options: CustomKindsOptions) {
    this.#options = options;
    const work = options.register((key) => this.#sync(key));
    options.definitions.store.onChange(({ object, before }) => {
      const definition = object ?? before;
      if (definition !== undefined && this.#kinds.has(definition.metadata.name)) work.add(keyOf(definition));
    });
  }

  /** Shared by all callers with the same name; to be called before the start. */
  follow<T extends KubeObject>(name: string): CustomKind<T> {
    const known = this.#kinds.get(name) ?? new CustomKind<KubeObject>(name);
    this.#kinds.set(name, known);
    return known as unknown as CustomKind<T>;
  }

  async #sync(key: ObjectKey): Promise<void> {
    const definition = this.#options.definitions.store.get(key);
    const kind = this.#kinds.get(key.slice(key.indexOf('/') + 1));
    if (kind === undefined) return;
    const type = typeDefinedBy(definition);
    const opened = this.#opened.get(kind.name);
    const isSame =
      opened?.uid === definition?.metadata.uid && opened?.resource.type.apiVersion === type?.apiVersion;
    if (isSame) return;
    if (opened !== undefined) await this.#close(kind, opened);
    if (type !== undefined && definition !== undefined) this.#open(kind, definition, type);
  }

  #open(kind: CustomKind<KubeObject>, definition: KubeObject, type: ObjectType): void {
    const opened: Opened = { uid: definition.metadata.uid, resource: this.#options.open(type) };
    this.#opened.set(kind.name, opened);
    void opened.resource.store.synced.then(() => {
      if (this.#opened.get(kind.name) === opened) kind.open(opened.resource);
    });
  }

  async #close(kind: CustomKind<KubeObject>, { resource }: Opened): Promise<void> {
    this.#opened.delete(kind.name);
    kind.close();
    await this.#options.close(resource);
  }
}
