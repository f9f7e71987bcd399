import { isJsonObject, type Json } from '@/lib/kube/json';
import { showJson } from '@/sandbox/api/objects/stored-object';

/** JSON as Go prints it once it is read. https://pkg.go.dev/fmt */
export function goText(value: Json | undefined): string {
  if (value === null || value === undefined) return '<nil>';
  if (Array.isArray(value)) return `[${value.map(goText).join(' ')}]`;
  if (!isJsonObject(value)) return showJson(value);
  const members = Object.keys(value).sort();

  return `map[${members.map((key) => `${key}:${goText(value[key])}`).join(' ')}]`;
}
