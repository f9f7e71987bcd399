import { isJsonObject, type Json, type JsonObject, memberOf, setMember } from '@/lib/kube/json';
import { type RecordedData, recordedData, stateOf } from '@/lib/kube/recorded-data';
import { isPodTemplate } from '@/lib/kube/recorded-pod-templates';

/** How to normalize the parts that Kubernetes defines. */
export interface KnownNormalizers {
  podTemplate(template: JsonObject): JsonObject;
  quantities(map: JsonObject): JsonObject | undefined;
  quantity(value: Json): Json;
}

/** Maps of quantities, and single ones, by the names that the API uses everywhere. */
const QUANTITY_MAPS: ReadonlySet<string> = new Set(['limits', 'requests', 'capacity', 'overhead']);
const QUANTITIES: ReadonlySet<string> = new Set([
  'cpu',
  'memory',
  'storage',
  'ephemeral-storage',
  'storageSize',
  'sizeLimit',
]);
/** A number may stand there as text. */
const INT_OR_STRING: ReadonlySet<string> = new Set([
  'maxUnavailable',
  'maxSurge',
  'minAvailable',
  'partition',
  'port',
  'targetPort',
]);

/** The state that was recorded, without the directives of its patch. */
export function withoutDirectives(body: RecordedData): RecordedData {
  return recordedData(stripDirectives(stateOf(body)));
}

/**
 * Recorded data in the one form of all data with the same known meaning: of unknown members only null or
 * empty values are omitted, and pod templates and amounts are parsed as Kubernetes does.
 */
export function normalizeData(body: RecordedData, known: KnownNormalizers): RecordedData {
  const state = normalizeValue(withoutDirectives(body).data, known) ?? {};
  // Without meaningless members, one more member may be the only one.
  return recordedData(stateOf(recordedData(state)));
}

function stripDirectives(value: Json): Json {
  if (Array.isArray(value)) return value.filter((entry) => !isDirective(entry)).map(stripDirectives);
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key !== '$patch' && member !== undefined) setMember(copy, key, stripDirectives(member));
  }
  return copy;
}

function isDirective(entry: Json): boolean {
  return memberOf(entry, '$patch') !== undefined && Object.keys(entry as JsonObject).length === 1;
}

/** Undefined means that it equals an absent value. Entries of lists keep their positions. */
function normalizeValue(value: Json, known: KnownNormalizers): Json | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    return value.length === 0
      ? undefined
      : value.map((entry) => normalizeValue(entry, known) ?? (isJsonObject(entry) ? {} : entry));
  }
  if (!isJsonObject(value)) return value;
  if (isPodTemplate(value)) return known.podTemplate(value);
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const normalized =
      key === 'metadata' ? normalizeMetadata(member, known) : normalizeMember(key, member, known);
    if (normalized !== undefined) setMember(copy, key, normalized);
  }
  return Object.keys(copy).length === 0 ? undefined : copy;
}

function normalizeMetadata(value: Json, known: KnownNormalizers): Json | undefined {
  if (!isJsonObject(value)) return normalizeValue(value, known);
  const { creationTimestamp: _created, ...metadata } = value;
  return normalizeValue(metadata, known);
}

function normalizeMember(key: string, value: Json, known: KnownNormalizers): Json | undefined {
  if (QUANTITY_MAPS.has(key) && isMapOfScalars(value)) return known.quantities(value);
  if (QUANTITIES.has(key)) return isJsonObject(value) ? normalizeValue(value, known) : known.quantity(value);
  if (INT_OR_STRING.has(key) && typeof value === 'string' && /^(?:0|[1-9]\d{0,8})$/.test(value))
    return Number(value);
  return normalizeValue(value, known);
}

function isMapOfScalars(value: Json): value is JsonObject {
  return (
    isJsonObject(value) &&
    Object.values(value).every((member) => typeof member === 'string' || typeof member === 'number')
  );
}
