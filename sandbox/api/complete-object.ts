import { type Struct } from '@/lib/kube/fields';
import { type WriteOptions } from '@/sandbox/api/api-core';
import { badRequest, invalid } from '@/sandbox/api/objects/api-status';
import { type Canonical, canonicalise, Unreadable } from '@/sandbox/api/canonical';
import { type ResourceKind } from '@/sandbox/api/objects/resource-kind';
import { objectOrEmptyAt, type StoredObject } from '@/sandbox/api/objects/stored-object';
import { invalidValue } from '@/sandbox/api/objects/validation';

/**
 * The draft in canonical form with its defaults. Throws ApiStatus on what cannot be read: 400, of a patch
 * 422.
 */
export function completeObject(
  kind: ResourceKind,
  draft: StoredObject,
  { version, fieldValidation, patch, warn }: WriteOptions,
): StoredObject {
  if (kind.schema === undefined) {
    kind.strategy.complete?.(draft);
    return draft;
  }
  const refuse = (why: string) =>
    patch === undefined
      ? badRequest(`${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: ${why}`)
      : invalid({ group: '', kind: '' }, '', [
          invalidValue('patch', patch.strategic ?? JSON.stringify(draft), why),
        ]);
  const { object, unknown } = read(kind.schema, draft, ({ message, converted }) =>
    refuse(patch?.strategic === undefined ? message : converted),
  );
  const problems = unknown.map((field) => `unknown field "${field}"`);
  if (fieldValidation === 'Strict' && problems.length > 0)
    throw refuse(`strict decoding error: ${problems.join(', ')}`);
  if (fieldValidation === 'Warn') for (const problem of problems) warn?.(problem);
  const { uid, resourceVersion, creationTimestamp, name } = draft.metadata;
  const metadata = { ...objectOrEmptyAt(object, 'metadata'), name, uid, resourceVersion, creationTimestamp };
  const complete = { ...object, metadata } as StoredObject;
  kind.strategy.complete?.(complete);

  return complete;
}

function read(schema: Struct, draft: StoredObject, refuse: (why: Unreadable) => Error): Canonical {
  try {
    return canonicalise(schema, draft);
  } catch (error) {
    throw error instanceof Unreadable ? refuse(error) : error;
  }
}
