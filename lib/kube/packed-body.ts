import { type Json, type JsonObject, memberOf } from '@/lib/kube/json';

/**
 * A body as its source object holds it, compressed, until it is needed: no other body has a member of that
 * name. Only code that can decompress such data receives one, and makes the body of it.
 */
interface PackedBody extends JsonObject {
  packed: { type: string; data: string };
}

export function packedBody(type: string, data: string): PackedBody {
  return { packed: { type, data } };
}

/** The `type` of a body that is nested too deep to be parsed: it is identified by the hash of its text alone. */
export const TOO_DEEP_TYPE = 'nested';

export function isPackedBody(body: JsonObject): body is PackedBody {
  const packed: Json | undefined = memberOf(body, 'packed');
  return (
    Object.keys(body).length === 1 &&
    typeof memberOf(packed, 'type') === 'string' &&
    typeof memberOf(packed, 'data') === 'string'
  );
}
