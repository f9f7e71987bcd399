import 'server-only';
import { type RevisionGroup } from '@/lib/producers/revision-group';
import { type RevisionSource, type StandIn, type Workload } from '@/lib/workloads/workload';
import { type OwnerType, ownerKey } from '@/server/cluster/owner-resources';

/** What is known of the objects of one kind of owners. `reading`: they are on their way. `unfollowed`: there are too many kinds. */
export type OwnerSight = 'reading' | 'read' | 'unreadable' | 'unfollowed' | 'gone';

/** Revisions that are one history. */
export interface SourceGroup {
  /** The uid of their controller where that has but one history; never that of another object. */
  key: string;
  group: RevisionGroup;
  owner: StandIn['owner'];
  component: string | null;
}

interface Parts {
  /** Null for revisions that are a matter of a kind that we know. */
  groupOf: (source: RevisionSource) => SourceGroup | null;
  /** That of a revision of a kind that we know, whose workload is not there. */
  lostGroupOf: (source: RevisionSource) => SourceGroup | null;
  sightOf: (owner: OwnerType, namespace: string) => OwnerSight;
  /** What stands in for a workload that can't be shown itself. */
  standIn: (group: SourceGroup, state: StandIn['state'], sources: readonly RevisionSource[]) => Workload;
  show: (workload: Workload) => void;
  hide: (workload: Workload) => void;
}

/** An owner whose object ought to be there, and is not. */
export interface MissingOwner {
  uid: string;
  name: string;
  /** Where its revisions are. */
  namespace: string;
  type: OwnerType;
}

interface Group extends SourceGroup {
  sources: Map<string, RevisionSource>;
}

/** Versions in which one kind is looked for. */
const VERSIONS_MAX = 5;

/**
 * Histories of objects of any kind. One is shown from its first revision to its last, whether or not the object behind it
 * can be read; objects of the same kind without revisions are not.
 */
export class OwnerIndex {
  readonly #parts: Parts;
  /** Objects by uid, also those that own no revision. */
  readonly #objects = new Map<string, Workload>();
  readonly #groups = new Map<string, Group>();
  readonly #groupOfSource = new Map<string, string>();
  /** Keys of the groups of an owner, by its uid. */
  readonly #keysOf = new Map<string, Set<string>>();
  readonly #shown = new Map<string, Workload>();
  /** By kind of owner: in which versions it is named, and the groups of its objects. */
  readonly #named = new Map<string, { type: OwnerType; groups: Set<string> }>();
  /** Owners that the API server does not have. A uid never comes back. */
  readonly #gone = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** The kinds that revisions name as their controllers, and that we do not know. */
  types(): OwnerType[] {
    return [...this.#named.values()].map(({ type }) => type);
  }

  /** The object of an owner, also of one that is not shown. */
  object(uid: string): Workload | undefined {
    return this.#objects.get(uid);
  }

  /** Undefined for a workload of a kind that is known. */
  sourcesOf(uid: string): readonly RevisionSource[] | undefined {
    const group = this.#groups.get(uid);
    if (group === undefined) return undefined;
    const place = this.#objects.get(uid)?.namespace ?? '-';
    const all = [...group.sources.values()];
    // Nobody owns anything in another namespace, whatever it says.
    return place === '-' ? all : all.filter(({ namespace }) => namespace === place);
  }

  /** What the histories of an owner are shown as. */
  *shownOf(ownerUid: string): Iterable<Workload> {
    for (const key of this.#keysOf.get(ownerUid) ?? []) {
      const workload = this.#shown.get(key);
      if (workload !== undefined) yield workload;
    }
  }

  changeObject(type: 'added' | 'updated' | 'deleted', object: Workload): void {
    if (type === 'deleted') this.#objects.delete(object.uid);
    else this.#objects.set(object.uid, object);
    this.#settle(object.uid);
  }

  /**
   * A revision has come, changed or gone, or its workload of a kind that we know has. Returns whether it names a kind of
   * owner that none did before.
   */
  changeSource(type: 'added' | 'updated' | 'deleted' | 'lost' | 'found', source: RevisionSource): boolean {
    const before = this.#groupOfSource.get(source.uid);
    const isNone = type === 'deleted' || type === 'found';
    const group = isNone ? null : this.#parts[type === 'lost' ? 'lostGroupOf' : 'groupOf'](source);
    if (before !== undefined && before !== group?.key) this.#remove(before, source.uid);
    if (group === null) return false;
    const isNew = this.#add(group, source);
    this.#settle(group.key);
    return isNew;
  }

  /** The history that a revision belongs to; undefined for one of a kind that is known. */
  workloadOf(sourceUid: string): Workload | undefined {
    return this.#shown.get(this.#groupOfSource.get(sourceUid) ?? '');
  }

  /** Looks again at all owners of a kind of which something else is known now. */
  reconsider(type: Pick<OwnerType, 'group' | 'kind'>): void {
    for (const key of [...(this.#named.get(ownerKey(type))?.groups ?? [])]) this.#settle(key);
  }

  /** Owners that are named, of kinds that are read, and that were not among what was read. */
  *missing(): Iterable<MissingOwner> {
    for (const { type, groups } of this.#named.values()) {
      for (const key of groups) {
        const { owner, sources, component } = this.#groups.get(key) ?? {};
        if (owner == null || component !== null || this.#objects.has(owner.uid)) continue;
        const [source] = sources?.values() ?? [];
        if (source === undefined || this.#gone.has(owner.uid)) continue;
        if (this.#parts.sightOf(type, source.namespace) !== 'read') continue;
        yield { uid: owner.uid, name: owner.name, namespace: source.namespace, type };
      }
    }
  }

  /** The API server has said that there is no such object. */
  noteGone(uid: string): void {
    if (!this.#groups.has(uid)) return;
    this.#gone.add(uid);
    this.#settle(uid);
  }

  #add(group: SourceGroup, source: RevisionSource): boolean {
    this.#groupOfSource.set(source.uid, group.key);
    const known = this.#groups.get(group.key);
    if (known !== undefined) known.sources.set(source.uid, source);
    else this.#groups.set(group.key, { ...group, sources: new Map([[source.uid, source]]) });
    return group.owner !== null && this.#name(group.key, group.owner);
  }

  #remove(key: string, sourceUid: string): void {
    this.#groupOfSource.delete(sourceUid);
    const group = this.#groups.get(key);
    if (group === undefined) return;
    group.sources.delete(sourceUid);
    if (group.sources.size === 0) {
      this.#groups.delete(key);
      this.#gone.delete(key);
      if (group.owner !== null) this.#unname(key, group.owner);
    }
    this.#settle(key);
  }

  #settle(key: string): void {
    const before = this.#shown.get(key);
    const now = this.#wanted(key);
    if (before !== undefined && (now === undefined || !isSamePlace(before, now))) {
      this.#shown.delete(key);
      this.#parts.hide(before);
    }
    if (now === undefined) return;
    this.#shown.set(key, now);
    this.#parts.show(now);
  }

  #wanted(key: string): Workload | undefined {
    const group = this.#groups.get(key);
    if (group === undefined) return undefined;
    const { owner, component } = group;
    const sources = [...group.sources.values()];
    const standsIn = (state: StandIn['state']) => this.#parts.standIn(group, state, sources);
    if (owner === null) return standsIn('none');
    if (component !== null) return standsIn('component');
    const object = this.#objects.get(key);
    if (object !== undefined) return object;
    const type = this.#named.get(ownerKey(kindIn(owner)))?.type;
    const [source] = sources;
    if (type === undefined || source === undefined) return undefined;
    const sight = this.#parts.sightOf(type, source.namespace);
    switch (sight) {
      case 'reading':
        return undefined;
      case 'read':
        return this.#gone.has(key) ? standsIn('gone') : undefined;
      case 'unreadable':
      case 'unfollowed':
      case 'gone':
        return standsIn(sight);
      default:
        return sight satisfies never;
    }
  }

  #name(key: string, owner: NonNullable<StandIn['owner']>): boolean {
    this.#keysOf.set(owner.uid, (this.#keysOf.get(owner.uid) ?? new Set()).add(key));
    const { group, version, kind } = kindIn(owner);
    const known = this.#named.get(ownerKey({ group, kind }));
    if (known === undefined) {
      const type = { group, kind, versions: [version] };
      this.#named.set(ownerKey(type), { type, groups: new Set([key]) });
      return true;
    }
    known.groups.add(key);
    const { type } = known;
    if (!type.versions.includes(version) && type.versions.length < VERSIONS_MAX)
      known.type = { ...type, versions: [...type.versions, version] };
    return false;
  }

  #unname(key: string, owner: NonNullable<StandIn['owner']>): void {
    const named = this.#named.get(ownerKey(kindIn(owner)));
    named?.groups.delete(key);
    const keys = this.#keysOf.get(owner.uid);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(owner.uid);
    if (named?.groups.size === 0) this.#named.delete(ownerKey(named.type));
  }
}

function kindIn({ apiVersion, kind }: NonNullable<StandIn['owner']>) {
  const slash = apiVersion.indexOf('/');
  return {
    group: slash < 0 ? '' : apiVersion.slice(0, slash),
    version: apiVersion.slice(slash + 1),
    kind,
  };
}

function isSamePlace(a: Workload, b: Workload): boolean {
  return a.resource === b.resource && a.namespace === b.namespace && a.name === b.name;
}
