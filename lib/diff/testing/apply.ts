import type { Change } from '@/lib/diff/change';
import { normalizeTemplate } from '@/lib/diff/normalize';
import { textAt } from '@/lib/kube/read';
import { isJsonObject, type Json, type JsonObject, memberOf, setMember } from '@/lib/kube/json';

/** The changes at one place of the template, and below it. */
interface ChangeNode {
  children: Map<string | number, ChangeNode>;
  /** Entries that a list gains, by their position after. */
  entries: Map<number, Json>;
  /** The new value of the place; undefined leaves it unchanged. */
  value: Json | undefined;
  isRemoved: boolean;
  /** Position after, of a list entry that moves. */
  movesTo: number | null;
}

/**
 * The result of applying to `before` the changes that {@link diffTemplates} found from it to another
 * template: normalized, and semantically equal to that other one. `before` is not changed.
 */
export function applyChanges(before: JsonObject, changes: readonly Change[]): JsonObject {
  const root = newNode();
  const normalized = normalizeTemplate(before);
  const types = changes.filter(isTypeChange);
  const others = changes.filter((change) => !types.some((type) => change === type || isInside(change, type)));
  for (const change of others) addChange(root, change);
  for (const change of types) changeType(root, change, normalized, changes);
  const result = applyNode(normalized, root);
  return isJsonObject(result) ? normalizeTemplate(result) : {};
}

/** Whether a container leaves its list for the other one. */
function isTypeChange({ label, pointer }: Change): boolean {
  return label === 'type' && typeof pointer.at(-1) === 'number';
}

function isInside({ pointer }: Change, { pointer: outer }: Change): boolean {
  return pointer.length > outer.length && outer.every((part, index) => pointer[index] === part);
}

/** Moves the container, with the changes inside it, to the other list. */
function changeType(root: ChangeNode, change: Change, before: JsonObject, changes: readonly Change[]): void {
  const { pointer, after } = change;
  const node = newNode();
  for (const inner of changes.filter((other) => isInside(other, change))) {
    const vanishes = inner.vanishes === null ? null : inner.vanishes - pointer.length;
    addChange(node, { ...inner, vanishes, pointer: inner.pointer.slice(pointer.length) });
  }
  let container: Json | undefined = before;
  for (const part of pointer)
    container = Array.isArray(container) ? container[Number(part)] : memberOf(container, String(part));
  const { restartPolicy: _former, ...rest } = applyNode(container, node) as JsonObject;
  const { list: _list, index, ...policy } = after as JsonObject;
  nodeAt(root, pointer).isRemoved = true;
  nodeAt(root, [...pointer.slice(0, -2), textAt(after, 'list') ?? '']).entries.set(Number(index), {
    ...rest,
    ...policy,
  });
}

function addChange(root: ChangeNode, change: Change): void {
  const { pointer, kind, vanishes, after } = change;
  if (vanishes !== null) {
    nodeAt(root, pointer.slice(0, vanishes)).isRemoved = true;
    return;
  }
  const last = pointer.at(-1);
  if (kind === 'added' && typeof last === 'number' && after !== undefined) {
    nodeAt(root, pointer.slice(0, -1)).entries.set(last, after);
    return;
  }
  const node = nodeAt(root, pointer);
  if (kind === 'removed') node.isRemoved = true;
  else if (kind === 'moved') node.movesTo = Number(after);
  else node.value = after;
}

function nodeAt(root: ChangeNode, pointer: readonly (string | number)[]): ChangeNode {
  let node = root;
  for (const part of pointer) {
    const child = node.children.get(part) ?? newNode();
    node.children.set(part, child);
    node = child;
  }
  return node;
}

function newNode(): ChangeNode {
  return { children: new Map(), entries: new Map(), value: undefined, isRemoved: false, movesTo: null };
}

function applyNode(value: Json | undefined, node: ChangeNode): Json | undefined {
  if (node.isRemoved) return undefined;
  if (node.value !== undefined) return node.value;
  if (Array.isArray(value) || node.entries.size > 0)
    return applyList(Array.isArray(value) ? value : [], node);
  return node.children.size === 0 ? value : applyObject(isJsonObject(value) ? value : {}, node);
}

function applyObject(object: JsonObject, { children }: ChangeNode): JsonObject {
  const result: JsonObject = {};
  for (const key of new Set([...Object.keys(object), ...children.keys()].map(String))) {
    const own = memberOf(object, key);
    const child = children.get(key);
    const value = child === undefined ? own : applyNode(own, child);
    if (value !== undefined) setMember(result, key, value);
  }
  return result;
}

/** Added and moved entries get their new positions; the others fill the remaining ones, in their old order. */
function applyList(list: readonly Json[], { children, entries }: ChangeNode): Json[] {
  const placed = new Map(entries);
  const rest: Json[] = [];
  list.forEach((entry, index) => {
    const child = children.get(index);
    const value = child === undefined ? entry : applyNode(entry, child);
    if (value === undefined) return;
    if (child !== undefined && child.movesTo !== null) placed.set(child.movesTo, value);
    else rest.push(value);
  });
  const length = placed.size + rest.length;
  // An added entry may be null itself.
  let next = 0;
  const at = (index: number) => (placed.has(index) ? placed.get(index) : rest[next++]);
  return Array.from({ length }, (_, index) => at(index) ?? null);
}
