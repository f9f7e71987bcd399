import { semanticText } from '@/lib/diff/normalize';
import { isJsonObject, type Json } from '@/lib/kube/json';
import { canonicalQuantity } from '@/lib/kube/quantity';
import { type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { goJson } from '@/sandbox/controllers/revisions/go-json';

const QUANTITY_MAPS = new Set(['limits', 'requests', 'overhead']);

/**
 * Whether the encodings of a recorded template and of the other one are equal: the same meaning, and
 * quantities of the same notation, which defaults do not change.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_control.go (setMatchesLatestExistingRevision)
 */
export function hasSameEncoding(recorded: PodTemplateSpec, present: PodTemplateSpec): boolean {
  return spellings(recorded) === spellings(present) && semanticText(recorded) === semanticText(present);
}

function spellings(template: PodTemplateSpec): string {
  const found: string[] = [];
  collect(template, found);
  return found.join('\n');
}

function collect(value: Json | undefined, found: string[]): void {
  if (Array.isArray(value)) for (const item of value) collect(item, found);
  if (!isJsonObject(value)) return;
  for (const key of Object.keys(value).sort()) {
    const member = value[key];
    if (!QUANTITY_MAPS.has(key) || !isJsonObject(member)) collect(member, found);
    else
      found.push(goJson(Object.fromEntries(Object.entries(member).map(([name, at]) => [name, spelled(at)]))));
  }
}

function spelled(value: Json | undefined): Json {
  if (typeof value !== 'string' && typeof value !== 'number') return value ?? null;
  return canonicalQuantity(value) ?? value;
}
