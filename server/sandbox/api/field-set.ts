import { isJsonObject, type JsonObject } from '@/lib/kube/json';

/**
 * A set of field paths, in the form of `fieldsV1` once printed: `f:` a member, `k:` an entry of a keyed list, `v:` one
 * of a set, `.` the thing itself. https://github.com/kubernetes-sigs/structured-merge-diff/tree/master/fieldpath
 */
export class FieldSet {
  /** Whether the path to here belongs to the set, besides what is below it. */
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

  /** The part below, made if it is missing. */
  at(key: string): FieldSet {
    const found = this.children.get(key) ?? new FieldSet();
    this.children.set(key, found);
    return found;
  }

  add(other: FieldSet): void {
    this.isMember ||= other.isMember;
    for (const [key, below] of other.children) this.at(key).add(below);
  }

  /** Takes out the paths of the other set; what is below them stays. */
  subtract(other: FieldSet): void {
    if (other.isMember) this.isMember = false;
    for (const [key, below] of other.children) {
      const mine = this.children.get(key);
      mine?.subtract(below);
      if (mine?.isEmpty === true) this.children.delete(key);
    }
  }

  /** Takes out the paths of the other set with all that is below them. */
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
