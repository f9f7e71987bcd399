import { cutEnd } from '@/lib/format/text';
import { type FieldPath, fieldsIn, isOwnEntry } from '@/lib/kube/managed-fields';
import type { ManagedFieldsEntry } from '@/lib/kube/object';
import { objectIn } from '@/lib/kube/read';
import { appliesWithoutForce } from '@/lib/owners/markers';

/** Fields that a manager applies without force, and that Shiplog owns after a write. */
export interface TakenFields {
  manager: string;
  fields: FieldPath[];
}

const NAME_CHARS_MAX = 100;

/**
 * What a write of Shiplog takes from managers that apply without force, by the managedFields before it and after it: the
 * API server gives a changed field to its writer, and rejects the next apply of another value.
 * https://kubernetes.io/docs/reference/using-api/server-side-apply/#conflicts
 */
export function takenFields(
  before: readonly ManagedFieldsEntry[],
  after: readonly ManagedFieldsEntry[],
): TakenFields[] {
  const own = fieldsOf(after.filter(isOwnEntry));
  const former = fieldsOf(before.filter(isOwnEntry));
  return before.filter(appliesWithoutForce).flatMap((entry) => {
    const applied = fieldsOf([entry]);
    const fields = [...own].flatMap(([key, path]) => {
      // An earlier write has taken it: the manager still owns the item around it.
      const isTaken = applied.has(key) || (former.has(key) && applied.has(keyOf(itemAround(path))));
      return isTaken ? [path] : [];
    });
    return fields.length === 0 ? [] : [{ manager: entry.manager, fields }];
  });
}

/** `image of container web`, `env LOG_LEVEL of container web`, `metadata.labels.tier`. */
export function formatField(path: FieldPath): string {
  const names = path.filter((name) => name !== '.').map(nameIn);
  const list = names.findIndex((name) => name === 'containers' || name === 'initContainers');
  if (list < 0) return names.join('.').replace(/^spec\.template\./, '');
  const container = `container ${names[list + 1] ?? ''}`;
  const member = names
    .slice(list + 2)
    .join('.')
    .replace(/^env\.(.*)\.value$/, 'env $1');
  return member === '' ? container : `${member} of ${container}`;
}

function nameIn(name: string): string {
  const text = name.slice(2);
  const key = name.startsWith('k:') ? objectIn(text) : undefined;
  const values = Object.values(key ?? {}).filter((value) => typeof value !== 'object');
  return cutEnd(key === undefined ? text : values.join('/'), NAME_CHARS_MAX);
}

function fieldsOf(entries: readonly ManagedFieldsEntry[]): Map<string, FieldPath> {
  const paths = entries.flatMap(({ fieldsV1 }) => fieldsIn(fieldsV1 ?? {}));
  return new Map(paths.map((path) => [keyOf(path), path]));
}

function keyOf(path: FieldPath): string {
  return path.join('\n');
}

/** The innermost item of a list. */
function itemAround(path: FieldPath): FieldPath {
  return [...path.slice(0, path.findLastIndex((name) => name.startsWith('k:')) + 1), '.'];
}
