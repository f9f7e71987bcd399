import { type WriteOptions } from '@/server/sandbox/api/api-core';
import { badRequest } from '@/server/sandbox/api/api-status';
import { canonicalise } from '@/server/sandbox/api/canonical';
import { type ResourceKind } from '@/server/sandbox/api/resource-kind';
import { objectAt, type StoredObject } from '@/server/sandbox/api/stored-object';

/** The draft in canonical form and with its defaults. Throws ApiStatus 400 on what cannot be read. */
export function completeObject(
  kind: ResourceKind,
  draft: StoredObject,
  { version, fieldValidation }: Pick<WriteOptions, 'version' | 'fieldValidation'>,
): StoredObject {
  if (kind.schema === undefined) {
    kind.strategy.complete?.(draft);
    return draft;
  }
  const { object, unknown } = canonicalise(kind.schema, draft);
  if (fieldValidation === 'Strict' && unknown.length > 0) {
    throw badRequest(
      `${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}: strict decoding error: ` +
        unknown.map((field) => `unknown field "${field}"`).join(', '),
    );
  }
  const { uid, resourceVersion, creationTimestamp, name } = draft.metadata;
  const metadata = { ...objectAt(object, 'metadata'), name, uid, resourceVersion, creationTimestamp };
  const complete = { ...object, metadata } as StoredObject;
  kind.strategy.complete?.(complete);

  return complete;
}
