import { canonicalJson, type Json, type JsonObject } from '@/lib/kube/json';

/**
 * JSON as Go's encoder writes a map: compact, keys sorted at every level, and the five characters escaped
 * that are unsafe in HTML. https://pkg.go.dev/encoding/json#Marshal
 */
export function goJson(value: Json): string {
  return canonicalJson(value).replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

/** https://github.com/kubernetes/apimachinery/blob/master/pkg/util/rand/rand.go */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const OFFSET = 2_166_136_261;
const PRIME = 16_777_619;

/** FNV-1, 32 bit: multiply, then mix in. */
export function fnv1(bytes: Uint8Array): number {
  let hash = OFFSET;
  for (const byte of bytes) hash = Math.imul(hash, PRIME) ^ byte;
  return hash >>> 0;
}

/** FNV-1a, 32 bit: mix in, then multiply. */
export function fnv1a(bytes: Uint8Array): number {
  let hash = OFFSET;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash >>> 0;
}

/** Encodes each character of a text with letters and digits that form no words. */
export function safeEncode(text: string): string {
  return [...text].map((character) => ALPHABET[(character.codePointAt(0) ?? 0) % ALPHABET.length]).join('');
}

/**
 * Name suffix of a ControllerRevision of a StatefulSet.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/history/controller_history.go (HashControllerRevision)
 */
export function revisionHash(dataText: string): string {
  // After the data comes the number of collisions, which do not happen here.
  return safeEncode(String(fnv1(Buffer.from(`${dataText}0`))));
}

/**
 * Hash of a pod template for Deployments and DaemonSets. The real one is computed over a dump of Go
 * structures, which differs between versions of Kubernetes; this one is computed over JSON, so that the same
 * template and count always give the same hash.
 */
export function templateHash(template: JsonObject, collisionCount: number | undefined): string {
  const count = Buffer.alloc(collisionCount === undefined ? 0 : 8);
  if (collisionCount !== undefined) count.writeUInt32LE(collisionCount >>> 0);
  return safeEncode(String(fnv1a(Buffer.concat([Buffer.from(goJson(template)), count]))));
}
