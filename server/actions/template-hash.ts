import 'server-only';
import { canonicalJson, type JsonObject } from '@/lib/kube/json';
import { hashOfText } from '@/server/archive/revisions';
import { type Keys } from '@/server/shared/keys';

/** Identifies a template as the hashes in records do. */
export function templateHashOf(keys: Pick<Keys, 'template'>, template: JsonObject): string {
  return keys.template(hashOfText(canonicalJson(template)));
}
