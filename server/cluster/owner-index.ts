import 'server-only';
import type { RevisionSource, Placeholder, Workload } from '@/lib/history/workload';
import { type OwnerType, ownerKey } from '@/server/cluster/owner-discovery';
import type { SourceGroup } from '@/server/cluster/source-group';

/**
 * The read state of the objects of one kind of owners. `reading`: they are being read. `unfollowed`: there
 * are too many kinds.
 */
export type OwnerReadState = 'reading' | 'read' | 'unreadable' | 'unfollowed' | 'gone';

interface OwnerIndexOptions {
  /** Null for revisions that belong to a kind of the table. */
  groupOf: (source: RevisionSource) => SourceGroup | null;
  /** The group of a revision of a kind of the table whose workload is missing. */
  ownerUnknownGroupOf: (source: RevisionSource) => SourceGroup | null;
  readStateOf: (owner: OwnerType, namespace: string) => OwnerReadState;
  /** The object of an owner, where it has been read. */
  objectOf: (uid: string) => Workload | undefined;
  /** Creates the placeholder for a workload that can't be shown itself. */
  createPlaceholder: (
    group: SourceGroup,
    state: Placeholder['state'],
    sources: readonly RevisionSource[],
  ) => Workload;
  show: (workload: Workload) => void;
  hide: (workload: Workload) => void;
}

/** An owner that should have an object, and has none. */
export interface MissingOwner {
  uid: string;
  name: string;
  /** The namespace of its revisions. */
  namespace: string;
  type: OwnerType;
}

interface Group extends SourceGroup {
  sources: Map<string, RevisionSource>;
}

/** Versions in which one kind is looked up. */
const VERSIONS_MAX = 5;

/**
 * Histories of objects of any kind. A page shows one from its first revision to its last, whether or not its
 * object can be read; objects of the same kind without revisions are not shown.
 */
export class OwnerIndex {
  readonly #options: OwnerIndexOptions;
  readonly #groups = new Map<string, Group>();
  readonly #groupOfSource = new Map<string, string>();
  /** Keys of the groups of an owner, by its uid. */
  readonly #keysByOwner = new Map<string, Set<string>>();
  readonly #shown = new Map<string, Workload>();
  /** By kind of owner: the versions that revisions name, and the groups of its objects. */
  readonly #ownersByType = new Map<string, { type: OwnerType; groups: Set<string> }>();
  /** Owners that the API server does not have. A uid never returns. */
  readonly #deletedOwners = new Set<string>();

  constructor(options: OwnerIndexOptions) {
    this.#options = options;
  }

  /** The kinds that revisions name as their controllers and that the table lacks. */
  types(): OwnerType[] {
    return [...this.#ownersByType.values()].map(({ type }) => type);
  }

  /** Undefined for a workload of a kind of the table. */
  sourcesOf(uid: string): readonly RevisionSource[] | undefined {
    const group = this.#groups.get(uid);
    if (group === undefined) return undefined;
    const ownerNamespace = this.#options.objectOf(uid)?.namespace ?? '-';
    const all = [...group.sources.values()];
    // An object owns nothing in another namespace, whatever its revisions name.
    return ownerNamespace === '-' ? all : all.filter(({ namespace }) => namespace === ownerNamespace);
  }

  /** The workloads or placeholders that show the histories of an owner. */
  *shownOf(ownerUid: string): Iterable<Workload> {
    for (const key of this.#keysByOwner.get(ownerUid) ?? []) {
      const workload = this.#shown.get(key);
      if (workload !== undefined) yield workload;
    }
  }

  /** The object of an owner was added, changed or deleted. */
  objectChanged(uid: string): void {
    this.#settle(uid);
  }

  /**
   * A revision was added, changed or deleted, or its workload of a kind of the table was. Returns whether it
   * names a kind of owner for the first time.
   */
  changeSource(type: 'added' | 'updated' | 'deleted' | 'lost' | 'found', source: RevisionSource): boolean {
    const before = this.#groupOfSource.get(source.uid);
    const isNone = type === 'deleted' || type === 'found';
    const group = isNone ? null : this.#options[type === 'lost' ? 'ownerUnknownGroupOf' : 'groupOf'](source);
    if (before !== undefined && before !== group?.key) this.#remove(before, source.uid);
    if (group === null) return false;
    const isNew = this.#add(group, source);
    this.#settle(group.key);
    return isNew;
  }

  /** The history that a revision belongs to; undefined for one of a kind of the table. */
  workloadOfSource(sourceUid: string): Workload | undefined {
    return this.#shown.get(this.#groupOfSource.get(sourceUid) ?? '');
  }

  /** Checks again all owners of a kind whose read state has changed. */
  reconsider(type: Pick<OwnerType, 'group' | 'kind'>): void {
    for (const key of [...(this.#ownersByType.get(ownerKey(type))?.groups ?? [])]) this.#settle(key);
  }

  /** Owners that revisions name, of kinds that are read, without an object among those read. */
  *missing(): Iterable<MissingOwner> {
    for (const { type, groups } of this.#ownersByType.values()) {
      for (const key of groups) {
        const { owner, sources, component } = this.#groups.get(key) ?? {};
        if (owner == null || component !== null || this.#options.objectOf(owner.uid) !== undefined) continue;
        const [source] = sources?.values() ?? [];
        if (source === undefined || this.#deletedOwners.has(owner.uid)) continue;
        if (this.#options.readStateOf(type, source.namespace) !== 'read') continue;
        yield { uid: owner.uid, name: owner.name, namespace: source.namespace, type };
      }
    }
  }

  /** The API server has reported that the object does not exist. */
  markDeleted(uid: string): void {
    if (!this.#groups.has(uid)) return;
    this.#deletedOwners.add(uid);
    this.#settle(uid);
  }

  #add(group: SourceGroup, source: RevisionSource): boolean {
    this.#groupOfSource.set(source.uid, group.key);
    const known = this.#groups.get(group.key);
    if (known !== undefined) known.sources.set(source.uid, source);
    else this.#groups.set(group.key, { ...group, sources: new Map([[source.uid, source]]) });
    return group.owner !== null && this.#addOwner(group.key, group.owner);
  }

  #remove(key: string, sourceUid: string): void {
    this.#groupOfSource.delete(sourceUid);
    const group = this.#groups.get(key);
    if (group === undefined) return;
    group.sources.delete(sourceUid);
    if (group.sources.size === 0) {
      this.#groups.delete(key);
      this.#deletedOwners.delete(key);
      if (group.owner !== null) this.#removeOwner(key, group.owner);
    }
    this.#settle(key);
  }

  #settle(key: string): void {
    const before = this.#shown.get(key);
    const now = this.#workloadToShow(key);
    if (before !== undefined && (now === undefined || !hasSameName(before, now))) {
      this.#shown.delete(key);
      this.#options.hide(before);
    }
    if (now === undefined) return;
    this.#shown.set(key, now);
    this.#options.show(now);
  }

  #workloadToShow(key: string): Workload | undefined {
    const group = this.#groups.get(key);
    if (group === undefined) return undefined;
    const { owner, component } = group;
    const sources = [...group.sources.values()];
    const placeholderFor = (state: Placeholder['state']) =>
      this.#options.createPlaceholder(group, state, sources);
    if (owner === null) return placeholderFor('none');
    if (component !== null) return placeholderFor('component');
    const object = this.#options.objectOf(key);
    if (object !== undefined) return object;
    const type = this.#ownersByType.get(ownerKey(groupVersionKindOf(owner)))?.type;
    const [source] = sources;
    if (type === undefined || source === undefined) return undefined;
    const readState = this.#options.readStateOf(type, source.namespace);
    switch (readState) {
      case 'reading':
        return undefined;
      case 'read':
        return this.#deletedOwners.has(key) ? placeholderFor('gone') : undefined;
      case 'unreadable':
      case 'unfollowed':
      case 'gone':
        return placeholderFor(readState);
      default:
        return readState satisfies never;
    }
  }

  #addOwner(key: string, owner: NonNullable<Placeholder['owner']>): boolean {
    this.#keysByOwner.set(owner.uid, (this.#keysByOwner.get(owner.uid) ?? new Set()).add(key));
    const { group, version, kind } = groupVersionKindOf(owner);
    const known = this.#ownersByType.get(ownerKey({ group, kind }));
    if (known === undefined) {
      const type = { group, kind, versions: [version] };
      this.#ownersByType.set(ownerKey(type), { type, groups: new Set([key]) });
      return true;
    }
    known.groups.add(key);
    const { type } = known;
    if (!type.versions.includes(version) && type.versions.length < VERSIONS_MAX)
      known.type = { ...type, versions: [...type.versions, version] };
    return false;
  }

  #removeOwner(key: string, owner: NonNullable<Placeholder['owner']>): void {
    const named = this.#ownersByType.get(ownerKey(groupVersionKindOf(owner)));
    named?.groups.delete(key);
    const keys = this.#keysByOwner.get(owner.uid);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysByOwner.delete(owner.uid);
    if (named?.groups.size === 0) this.#ownersByType.delete(ownerKey(named.type));
  }
}

function groupVersionKindOf({ apiVersion, kind }: NonNullable<Placeholder['owner']>) {
  const slash = apiVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind,
  };
}

function hasSameName(a: Workload, b: Workload): boolean {
  return a.resource === b.resource && a.namespace === b.namespace && a.name === b.name;
}
