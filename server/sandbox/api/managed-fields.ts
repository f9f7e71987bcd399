import { type ResourceKind } from '@/server/sandbox/api/resource-kind';
import { type StoredObject } from '@/server/sandbox/api/stored-object';
export function trackFields(
  _kind: ResourceKind,
  next: StoredObject,
  _previous: StoredObject | undefined,
  _by: { manager: string; time: string; subresource: string; version: string },
): StoredObject {
  return next;
}
