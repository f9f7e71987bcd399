import { isJsonObject, type JsonObject } from '@/lib/kube/json';
import type { ManagedFieldsEntry } from '@/lib/kube/object';

/** The manager of Shiplog's own writes. */
export const FIELD_MANAGER = 'shiplog';

/** Whether it has what Shiplog wrote to the object itself. */
export function isOwnEntry({
  manager,
  operation,
  subresource,
}: Pick<ManagedFieldsEntry, 'manager' | 'operation' | 'subresource'>): boolean {
  return manager === FIELD_MANAGER && operation === 'Update' && subresource === undefined;
}

/**
 * The names in a `fieldsV1` that lead to a field: `f:env`, `k:{"name":"LOG_LEVEL"}`, `f:value`; `.` for an item or a map
 * itself.
 * https://github.com/kubernetes-sigs/structured-merge-diff/blob/master/fieldpath/serialize-pe.go
 */
export type FieldPath = readonly string[];

/** Every field that an entry owns. */
export function fieldsIn(fields: JsonObject, above: FieldPath = []): FieldPath[] {
  return Object.entries(fields).flatMap(([name, value]) => {
    const path = [...above, name];
    return isJsonObject(value) && Object.keys(value).length > 0 ? fieldsIn(value, path) : [path];
  });
}
