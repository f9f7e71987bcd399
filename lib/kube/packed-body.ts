import { type Json, type JsonObject, memberOf } from '@/lib/kube/json';

/**
 * A body as its source object holds it, compressed, until somebody looks at it: no other body has a member of that name.
 * Whoever can read such data makes the body of it; nobody else meets one.
 */
export interface PackedBody extends JsonObject {
  packed: { type: string; data: string };
}

export function packedBody(type: string, data: string): PackedBody {
  return { packed: { type, data } };
}

/** How a body that is nested too deep to be read is said to be compressed: it is held by the hash of its text alone. */
export const NESTED = 'nested';

export function isPackedBody(body: JsonObject): body is PackedBody {
  const packed: Json | undefined = memberOf(body, 'packed');
  return (
    Object.keys(body).length === 1 &&
    typeof memberOf(packed, 'type') === 'string' &&
    typeof memberOf(packed, 'data') === 'string'
  );
}
