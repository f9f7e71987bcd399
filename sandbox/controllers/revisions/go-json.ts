import { canonicalJson, type Json } from '@/lib/kube/json';

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
