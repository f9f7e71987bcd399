import type { JsonObject } from '@/lib/kube/json';
import { textAt, valueAt } from '@/lib/kube/read';
import { isOfKind, typeOf } from '@/lib/kube/resource';
import type { Marked } from '@/lib/owners/owner';

/** Where the template is, and what contains it: who ignores one of them ignores every rollback. */
const TEMPLATE_POINTERS = ['', '/spec', '/spec/template'];
const TEMPLATE_QUERIES = ['.spec', '.spec.template'];

/** Whether one of the JSON pointers covers the whole pod template. */
export function coversTemplate(pointers: readonly string[]): boolean {
  return pointers.some((pointer) => TEMPLATE_POINTERS.includes(pointer));
}

export function queriesTemplate(queries: readonly string[]): boolean {
  return queries.some((query) => TEMPLATE_QUERIES.includes(query));
}

export function textsAt(object: JsonObject, ...path: readonly string[]): string[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];
}

/**
 * Whether a selector of Kustomize, whose members are regular expressions between anchors, selects the object; null where
 * only the expressions or a label selector tell.
 */
export function isSelected(
  target: JsonObject | undefined,
  { resource, namespace, name }: Marked,
): boolean | null {
  if (target === undefined) return true;
  const { group } = typeOf(resource);
  const actual = { group, kind: resource, namespace, name };
  let isUncertain = ['labelSelector', 'annotationSelector'].some((key) => target[key] !== undefined);
  for (const [member, value] of Object.entries(actual)) {
    const expected = textAt(target, member);
    if (expected === undefined || expected === '') continue;
    if (!/^[\w-]+(\.[\w-]+)*$/.test(expected)) isUncertain = true;
    else if (member === 'kind' ? !isOfKind(value, group, expected) : value !== expected) return false;
  }
  return isUncertain ? null : true;
}
