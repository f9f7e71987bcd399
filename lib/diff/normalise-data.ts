import { isJsonObject, type Json, type JsonObject, memberOf, setMember } from '@/lib/kube/json';
import { type RecordedData, recordedData, stateIn } from '@/lib/kube/recorded-data';
import { isPodTemplate } from '@/lib/kube/recorded-parts';

/** How the parts are normalised of which Kubernetes says what they mean. */
export interface KnownParts {
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

/** The state that was recorded, without the directives of the patch that it was written as. */
export function withoutDirectives(body: RecordedData): RecordedData {
  return recordedData(strip(stateIn(body)));
}

/**
 * Recorded data in the one form that all have which mean the same as far as anybody knows: of members that are not known
 * only what is null or empty is left out, and pod templates and amounts are read as Kubernetes reads them.
 */
export function normaliseData(body: RecordedData, known: KnownParts): RecordedData {
  const state = normalise(withoutDirectives(body).data, known) ?? {};
  // Without what means nothing, one more member may stand alone.
  return recordedData(stateIn(recordedData(state)));
}

function strip(value: Json): Json {
  if (Array.isArray(value)) return value.filter((entry) => !isDirective(entry)).map(strip);
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (key !== '$patch' && member !== undefined) setMember(copy, key, strip(member));
  }
  return copy;
}

function isDirective(entry: Json): boolean {
  return memberOf(entry, '$patch') !== undefined && Object.keys(entry as JsonObject).length === 1;
}

/** Undefined means that it is the same as none. Entries of lists keep their places. */
function normalise(value: Json, known: KnownParts): Json | undefined {
  if (value === null) return undefined;
  if (Array.isArray(value)) {
    return value.length === 0
      ? undefined
      : value.map((entry) => normalise(entry, known) ?? (isJsonObject(entry) ? {} : entry));
  }
  if (!isJsonObject(value)) return value;
  if (isPodTemplate(value)) return known.podTemplate(value);
  const copy: JsonObject = {};
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined) continue;
    const kept = key === 'metadata' ? normaliseMetadata(member, known) : normaliseMember(key, member, known);
    if (kept !== undefined) setMember(copy, key, kept);
  }
  return Object.keys(copy).length === 0 ? undefined : copy;
}

function normaliseMetadata(value: Json, known: KnownParts): Json | undefined {
  if (!isJsonObject(value)) return normalise(value, known);
  const { creationTimestamp: _created, ...metadata } = value;
  return normalise(metadata, known);
}

function normaliseMember(key: string, value: Json, known: KnownParts): Json | undefined {
  if (QUANTITY_MAPS.has(key) && isMapOfScalars(value)) return known.quantities(value);
  if (QUANTITIES.has(key)) return isJsonObject(value) ? normalise(value, known) : known.quantity(value);
  if (INT_OR_STRING.has(key) && typeof value === 'string' && /^(?:0|[1-9]\d{0,8})$/.test(value))
    return Number(value);
  return normalise(value, known);
}

function isMapOfScalars(value: Json): value is JsonObject {
  return (
    isJsonObject(value) &&
    Object.values(value).every((member) => typeof member === 'string' || typeof member === 'number')
  );
}
