import { resourceName, type ResourceKind } from '@/sandbox/api/objects/resource-kind';

/** Virtual kinds: they answer a request and store nothing. */
export interface ReviewKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

/** Every served kind, in the order of discovery. */
export class KindTable {
  readonly #kinds: ResourceKind[] = [];
  readonly reviews: readonly ReviewKind[];

  constructor(kinds: readonly ResourceKind[], reviews: readonly ReviewKind[]) {
    this.#kinds = [...kinds];
    this.reviews = reviews;
  }

  get kinds(): readonly ResourceKind[] {
    return this.#kinds;
  }

  add(kind: ResourceKind): void {
    const known = this.find(kind.group, undefined, kind.plural);
    if (known !== undefined) this.#kinds.splice(this.#kinds.indexOf(known), 1, kind);
    else this.#kinds.push(kind);
  }

  remove(group: string, plural: string): void {
    const known = this.find(group, undefined, plural);
    if (known !== undefined) this.#kinds.splice(this.#kinds.indexOf(known), 1);
  }

  /** By plural; any version if none is given. */
  find(group: string, version: string | undefined, plural: string): ResourceKind | undefined {
    return this.#kinds.find(
      (kind) =>
        kind.group === group &&
        kind.plural === plural &&
        (version === undefined || kind.versions.includes(version)),
    );
  }

  findByCollection(collection: string): ResourceKind | undefined {
    return this.#kinds.find((kind) => resourceName(kind) === collection);
  }

  /** Groups with their versions, the core group first. */
  groups(): Map<string, string[]> {
    const groups = new Map<string, string[]>([['', ['v1']]]);
    const all = [
      ...this.#kinds,
      ...this.reviews.map((review) => ({ ...review, versions: [review.version] })),
    ];
    for (const { group, versions } of all) {
      groups.set(group, [...new Set([...(groups.get(group) ?? []), ...versions])]);
    }
    return groups;
  }
}
