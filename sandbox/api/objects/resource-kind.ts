import type { Struct } from '@/lib/kube/fields';
import type { Json } from '@/lib/kube/json';
import type { Cause } from '@/sandbox/api/objects/api-status';
import type { StoredObject } from '@/sandbox/api/objects/stored-object';

export type Subresource = 'status' | 'scale' | 'log' | 'binding';

/** A column of the table that kubectl prints. https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables */
export interface TableColumn {
  readonly name: string;
  /** Shown only by `-o wide`. */
  readonly wide?: boolean;
  readonly cell: (object: StoredObject, now: number) => Json;
}

/**
 * What a kind adds to the rules that all objects share. Each function gets a copy that it may change; it must
 * not change `previous`. A time is RFC 3339, in seconds.
 */
export interface RestStrategy {
  /** Defaults and canonical form; run on every write, before anything is compared. */
  complete?(object: StoredObject): void;
  /** What the server alone sets on a new object; the author owns these fields. */
  prepareCreate?(object: StoredObject, time: string): void;
  /** What admission adds to a new object; these fields have no owner. */
  admit?(object: StoredObject): void;
  /** What a write must not change, or changes implicitly. */
  prepareUpdate?(object: StoredObject, previous: StoredObject): void;
  /** The metadata that a write to `status` leaves unchanged. Default: all of it. */
  keepOnStatusUpdate?(object: StoredObject, previous: StoredObject): void;
  validate?(object: StoredObject): Cause[];
  validateUpdate?(object: StoredObject, previous: StoredObject): Cause[];
  /** Whether the generation increases, apart from a change of `spec`. */
  changesGeneration?(object: StoredObject, previous: StoredObject): boolean;
}

export interface ScalePaths {
  readonly replicas: readonly string[];
  readonly statusReplicas: readonly string[];
  /** Of a selector in the form of text; undefined: `spec.selector`. */
  readonly selector: readonly string[] | undefined;
}

/** A served kind of object. */
export interface ResourceKind {
  readonly group: string;
  /** Served versions, the preferred one first; that is the one objects are stored in. */
  readonly versions: readonly string[];
  readonly kind: string;
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly subresources: readonly Subresource[];
  /** Paths of the numbers of a Scale, as names from the object down; default: as in Deployments. */
  readonly scale?: ScalePaths;
  /** Counts changes of the desired state in `metadata.generation`. */
  readonly hasGeneration: boolean;
  /** Its fields, where they are known: for canonical form, strategic merge and field ownership. */
  readonly schema: Struct | undefined;
  /** Of a kind without a schema: the lists whose entries have owners of their own, with their paths. */
  readonly keyedLists: Struct | undefined;
  /** Field selectors besides name and namespace. */
  readonly fields: readonly string[];
  readonly columns: readonly TableColumn[];
  readonly strategy: RestStrategy;
}

/** Name of the resource, as upstream writes it in messages, and of its collection: `deployments.apps`. */
export function resourceName({ group, plural }: Pick<ResourceKind, 'group' | 'plural'>): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function groupVersion(group: string, version: string): string {
  return group === '' ? version : `${group}/${version}`;
}

export const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
export const SUBRESOURCE_VERBS: Readonly<Record<Subresource, readonly string[]>> = {
  status: ['get', 'patch', 'update'],
  scale: ['get', 'patch', 'update'],
  log: ['get'],
  binding: ['create'],
};

/** Virtual kinds, in version v1 and cluster scope: they answer a request and store nothing. */
export type ReviewKind = Pick<ResourceKind, 'group' | 'kind' | 'plural'>;

/** Every served kind, in the order of discovery. */
export class KindTable {
  readonly #kinds: ResourceKind[];
  readonly reviews: readonly ReviewKind[];

  constructor(kinds: readonly ResourceKind[], reviews: readonly ReviewKind[]) {
    this.#kinds = [...kinds];
    this.reviews = reviews;
  }

  get kinds(): readonly ResourceKind[] {
    return this.#kinds;
  }

  add(kind: ResourceKind): void {
    this.remove(kind);
    this.#kinds.push(kind);
  }

  remove(kind: ResourceKind): void {
    const index = this.#kinds.findIndex((known) => resourceName(known) === resourceName(kind));
    if (index >= 0) this.#kinds.splice(index, 1);
  }

  /** By the name of its collection. */
  find(collection: string): ResourceKind | undefined {
    return this.#kinds.find((kind) => resourceName(kind) === collection);
  }

  /** Groups with their versions, the core group first. */
  groups(): Map<string, string[]> {
    const groups = new Map<string, string[]>([['', ['v1']]]);
    const reviews = this.reviews.map(({ group }) => ({ group, versions: ['v1'] }));
    for (const { group, versions } of [...this.#kinds, ...reviews])
      groups.set(group, [...new Set([...(groups.get(group) ?? []), ...versions])]);
    return groups;
  }
}
