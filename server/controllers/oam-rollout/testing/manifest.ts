import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import type { JsonObject } from '@/lib/kube/json';

/** The documents of one of Shiplog's own manifests. */
export function manifest(name: string): JsonObject[] {
  const text = readFileSync(new URL(`../../../../deploy/oam-rollout/${name}`, import.meta.url), 'utf8');
  return parseAllDocuments(text).map((document) => document.toJS() as JsonObject);
}
