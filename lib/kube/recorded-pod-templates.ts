import { isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import { type RecordedData, stateOf } from '@/lib/kube/recorded-data';

/** A pod template somewhere in recorded data. */
interface RecordedPodTemplate {
  /** Its purpose: the name of the list entry that contains it, else of the member; null where unknown. */
  role: string | null;
  path: readonly string[];
  template: JsonObject;
}

/** Deeper than any template; bounds the recursion in foreign data. */
const DEPTH_MAX = 32;

/** Members that lead to a pod template and do not name its purpose. */
const NO_ROLE: ReadonlySet<string> = new Set(['data', 'spec', 'template', 'podTemplate', 'workload']);

/** Whether it has the form of a pod template: named containers in a list of their own. */
export function isPodTemplate(value: Json | undefined): value is JsonObject & { spec: JsonObject } {
  const containers = memberOf(memberOf(value, 'spec'), 'containers');
  return (
    Array.isArray(containers) &&
    containers.length > 0 &&
    containers.every((container) => {
      const name = memberOf(container, 'name');
      return typeof name === 'string' && name !== '';
    })
  );
}

/** Every pod template in it, in the order of the data; a template inside of another one belongs to that. */
export function findRecordedPodTemplates(body: RecordedData): RecordedPodTemplate[] {
  const found: RecordedPodTemplate[] = [];
  visit(stateOf(body), [], null, found);
  return found;
}

/** The purpose of a pod template at the end of these members and names of list entries. */
export function roleOf(path: readonly { name: string; isEntry: boolean }[]): string | null {
  const entry = path.findLast(({ isEntry }) => isEntry);
  return entry?.name ?? path.findLast(({ name }) => !NO_ROLE.has(name))?.name ?? null;
}

function visit(
  value: Json,
  path: readonly string[],
  entry: string | null,
  found: RecordedPodTemplate[],
): void {
  if (path.length > DEPTH_MAX) return;
  if (Array.isArray(value)) {
    value.forEach((item, index) => {
      const name = memberOf(item, 'name');
      visit(item, [...path, String(index)], typeof name === 'string' ? name : String(index), found);
    });
    return;
  }
  if (!isJsonObject(value)) return;
  if (isPodTemplate(value)) {
    const role = entry ?? path.findLast((name) => !NO_ROLE.has(name)) ?? null;
    found.push({ role, path, template: value });
    return;
  }
  for (const [key, member] of Object.entries(value)) {
    if (member !== undefined) visit(member, [...path, key], entry, found);
  }
}
