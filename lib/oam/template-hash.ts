import { canonicalJson, type Json } from '@/lib/kube/json';

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** A short name for a template: equal ones have equal names. FNV-1a of the canonical JSON. */
export function templateHash(template: Json): string {
  let hash = OFFSET;
  for (const byte of new TextEncoder().encode(canonicalJson(template))) hash = Math.imul(hash ^ byte, PRIME);
  return (hash >>> 0).toString(16).padStart(8, '0');
}
