import { isJsonObject, type JsonObject } from '@/lib/kube/json';

/**
 * A set of field paths, printed in the form of `fieldsV1`: `f:` a member, `k:` an entry of a keyed list, `v:`
 * one of a set, `.` the object or entry itself.
 * https://github.com/kubernetes-sigs/structured-merge-diff/tree/master/fieldpath
 */
export class FieldSet {
  /** Whether the path to here belongs to the set, apart from paths below it. */
  isMember = false;
  readonly children = new Map<string, FieldSet>();

  static parse(fields: JsonObject): FieldSet {
    const set = new FieldSet();
    const keys = Object.keys(fields);
    set.isMember = keys.length === 0 || '.' in fields;
    for (const key of keys) {
      const below = fields[key];
      if (key !== '.' && isJsonObject(below)) set.children.set(key, FieldSet.parse(below));
    }
    return set;
  }

  get isEmpty(): boolean {
    return !this.isMember && this.children.size === 0;
  }

  /** The child set, created if it is missing. */
  at(key: string): FieldSet {
    const found = this.children.get(key) ?? new FieldSet();
    this.children.set(key, found);
    return found;
  }

  add(other: FieldSet): void {
    this.isMember ||= other.isMember;
    for (const [key, below] of other.children) this.at(key).add(below);
  }

  /** Removes the paths of the other set; paths below them stay. */
  subtract(other: FieldSet): void {
    if (other.isMember) this.isMember = false;
    for (const [key, below] of other.children) {
      const mine = this.children.get(key);
      mine?.subtract(below);
      if (mine?.isEmpty === true) this.children.delete(key);
    }
  }

  /** Removes the paths of the other set with all paths below them. */
  prune(other: FieldSet): void {
    for (const [key, below] of other.children) {
      const mine = this.children.get(key);
      if (mine === undefined) continue;
      if (below.isMember) this.children.delete(key);
      else mine.prune(below);
      if (mine.isEmpty) this.children.delete(key);
    }
  }

  print(): JsonObject {
    const result: JsonObject = {};
    if (this.isMember && this.children.size > 0) result['.'] = {};
    for (const key of [...this.children.keys()].sort()) result[key] = this.children.get(key)?.print() ?? {};
    return result;
  }
}
