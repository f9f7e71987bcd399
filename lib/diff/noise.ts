import { alignLists, alignUnknown, isObjectList } from '@/lib/diff/align-lists';
import type { Noise } from '@/lib/diff/change';
import { entryName, inlineText } from '@/lib/diff/entry';
import { POD_TEMPLATE, rootOf } from '@/lib/diff/structs';
import { pathOf, type PathStep } from '@/lib/diff/path';
import type { Field, Struct } from '@/lib/kube/fields';
import { deepEqual, isJsonObject, type Json, type JsonObject, memberOf } from '@/lib/kube/json';
import { isPodTemplate } from '@/lib/kube/recorded-pod-templates';

/** A place in both templates: as given, and normalized. */
interface Sides {
  before: Json | undefined;
  after: Json | undefined;
  plainBefore: Json | undefined;
  plainAfter: Json | undefined;
}

/** Differences between two given templates that their normalized forms do not have, each with its reason. */
export function findNoise(
  before: JsonObject,
  after: JsonObject,
  normalized: { before: JsonObject; after: JsonObject },
): Noise[] {
  const found: Noise[] = [];
  const sides = { before, after, plainBefore: normalized.before, plainAfter: normalized.after };
  walk({ shape: 'struct', nullable: false, of: rootOf(after) }, sides, [], found);
  return found;
}

function walk(field: Field | undefined, sides: Sides, steps: readonly PathStep[], found: Noise[]): void {
  const { before, after } = sides;
  if (deepEqual(before, after)) return;
  if (isJsonObject(before) && isJsonObject(after)) {
    const isPart = field === undefined && isPodTemplate(before) && isPodTemplate(after);
    const struct = field?.shape === 'struct' ? field.of : isPart ? POD_TEMPLATE : undefined;
    walkMembers(struct, field?.shape === 'map' ? 'key' : 'field', { ...sides, before, after }, steps, found);
  } else if (Array.isArray(before) && Array.isArray(after) && before.length > 0 && after.length > 0) {
    walkEntries(field, { ...sides, before, after }, steps, found);
  } else if (deepEqual(sides.plainBefore, sides.plainAfter)) {
    found.push({ path: pathOf(steps), before, after, reason: reasonOf(sides, steps) });
  }
}

function walkMembers(
  struct: Struct | undefined,
  kind: PathStep['kind'],
  sides: Sides & { before: JsonObject; after: JsonObject },
  steps: readonly PathStep[],
  found: Noise[],
): void {
  const { before, after, plainBefore, plainAfter } = sides;
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    // The old name of a field is normalized to the new one.
    const plainName = struct?.name === 'PodSpec' && name === 'serviceAccount' ? 'serviceAccountName' : name;
    const inner = {
      before: memberOf(before, name),
      after: memberOf(after, name),
      plainBefore: memberOf(plainBefore, plainName),
      plainAfter: memberOf(plainAfter, plainName),
    };
    walk(struct?.fields.get(name), inner, [...steps, { kind, name }], found);
  }
}

function walkEntries(
  field: Field | undefined,
  sides: Sides & { before: Json[]; after: Json[] },
  steps: readonly PathStep[],
  found: Noise[],
): void {
  const { plainBefore, plainAfter } = sides;
  // Normalized lists keep every entry at its position, so positions hold for both forms.
  if (!Array.isArray(plainBefore) || !Array.isArray(plainAfter)) return;
  const isKnown = field?.shape === 'list' && field.of !== null;
  const areObjects = isObjectList(plainBefore) && isObjectList(plainAfter);
  if (!isKnown && !areObjects) return;
  const aligned = isKnown
    ? alignLists(field, plainBefore, plainAfter)
    : alignUnknown(plainBefore as JsonObject[], plainAfter as JsonObject[]);
  const of: Field | undefined =
    isKnown && field.of !== null ? { shape: 'struct', nullable: false, of: field.of } : undefined;
  for (const [i, j] of aligned.pairs) {
    const inner = {
      before: sides.before[i],
      after: sides.after[j],
      plainBefore: plainBefore[i],
      plainAfter: plainAfter[j],
    };
    const name = entryName(of?.of.name ?? null, plainBefore[i] ?? null) ?? String(i);
    walk(of, inner, [...steps, { kind: 'entry', name }], found);
  }
}

function reasonOf({ before, after, plainBefore }: Sides, steps: readonly PathStep[]): string {
  const name = steps.at(-1)?.name ?? '';
  if (name === 'creationTimestamp') return 'creationTimestamp is metadata only';
  if (name === 'serviceAccount') return 'serviceAccount is the old name of serviceAccountName';
  if (isPrimitive(before) && isPrimitive(after))
    return `${name} ${inlineText(before)} = ${inlineText(after)}`;
  if (plainBefore === undefined) return `empty ${name} is the same as none`;
  return `default ${name}`;
}

function isPrimitive(value: Json | undefined): boolean {
  return value !== undefined && value !== null && typeof value !== 'object';
}
