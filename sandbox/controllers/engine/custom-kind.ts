import { type KubeObject } from '@/lib/kube/object';
import { objectsAt, textAt } from '@/lib/kube/read';
import { type ObjectChange } from '@/sandbox/controllers/engine/informer';
import { type Resource } from '@/sandbox/controllers/engine/resource';
import { type ObjectType } from '@/sandbox/controllers/engine/resource-type';
import { isDeleting } from '@/sandbox/controllers/objects/pod';

/** The objects of a kind that another project defines, while the API server serves it. */
export class CustomKind<T extends KubeObject> {
  /** `{plural}.{group}`, as its definition is named. */
  readonly name: string;
  #resource: Resource<T> | undefined;
  readonly #listeners: ((change: ObjectChange<T>) => void)[] = [];

  constructor(name: string) {
    this.name = name;
  }

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

/** The collection of a kind, in the version in which it is stored; undefined unless it is served. */
export function typeDefinedBy(definition: KubeObject | undefined): ObjectType | undefined {
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
