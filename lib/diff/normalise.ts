import { applyDefaults } from '@/lib/diff/defaults';
import { type Field, POD_TEMPLATE, rootOf, type Struct } from '@/lib/diff/fields';
import { type KnownParts, normaliseData, withoutDirectives } from '@/lib/diff/normalise-data';
import { isApplicationBody } from '@/lib/kube/application-body';
import { canonicalJson, isJsonObject, type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { formatPretty, parseQuantity, roundUpToMilli } from '@/lib/kube/quantity';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { mapParts } from '@/lib/kube/template-parts';

/** Written by the Deployment controller into the templates of its ReplicaSets; never part of what a person asked for. */
const HASH_LABEL = 'pod-template-hash';

/**
 * A pod template, or one of groups of pods, in the one form that all templates share which mean the same to the API server: without
 * bookkeeping, with its defaults, quantities in one spelling, and without what equals being absent. List order is
 * kept, and so is every entry of a list or map; fields that Kubernetes does not know are left as they are. The input
 * is not changed, but may share parts with the result. Two templates are equal to the Deployment controller
 * (https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go,
 * EqualIgnoreHash) exactly when their normalised forms are.
 */
export function normaliseTemplate(template: JsonObject): JsonObject {
  if (isRecordedData(template)) return normaliseData(template, KNOWN_PARTS);
  if (isApplicationBody(template)) return normaliseStruct(rootOf(template), template);
  const cleaned = mapParts(withoutRecordMarks(template), (part) => {
    const rest = withoutBookkeeping(part);
    return { ...rest, spec: rest.spec ?? {} };
  });
  return normaliseStruct(rootOf(template), cleaned);
}

const KNOWN_PARTS: KnownParts = {
  podTemplate: (part) => normaliseStruct(POD_TEMPLATE, withoutBookkeeping(withoutRecordMarks(part))),
  quantities: (map) => normaliseMap('quantity', map),
  quantity: (value) => normaliseQuantity(value, false),
};

/**
 * Of the rules by which templates are normalised: one more with every change after which a template has another form than
 * before, since archives keep what was made by the rules of their time.
 */
export const NORMAL_FORM_VERSION = 1;

/** Text that two templates share exactly when they are semantically equal, list order included; meant for hashing. */
export function semanticText(template: JsonObject): string {
  return canonicalJson(normaliseTemplate(template));
}

/** The template as stored, without what only its record carries: `$patch` and the label `pod-template-hash`. */
export function withoutRecordMarks(template: JsonObject): JsonObject {
  if (isRecordedData(template)) return withoutDirectives(template);
  if (isApplicationBody(template)) return template;
  const { $patch: _patch, ...rest } = template;
  if (!isJsonObject(rest.metadata) || !isJsonObject(rest.metadata.labels)) return rest;
  const { [HASH_LABEL]: hash, ...labels } = rest.metadata.labels;
  if (hash === undefined) return rest;
  // A map that held nothing else was not there before the controller added the label.
  const { labels: _labels, ...metadata } = rest.metadata;
  return { ...rest, metadata: isEmpty(labels) ? metadata : { ...metadata, labels } };
}

function withoutBookkeeping(rest: JsonObject): JsonObject {
  if (!isJsonObject(rest.metadata)) return rest;
  const { creationTimestamp: _created, ...metadata } = rest.metadata;
  return { ...rest, metadata };
}

function normaliseStruct(struct: Struct, object: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    const field = struct.fields.get(key);
    const kept = field === undefined ? value : normaliseField(field, value);
    if (kept !== undefined) setMember(result, key, kept);
  }
  if (struct.name === 'PodSpec') foldServiceAccount(result);
  applyDefaults(struct.name, result);
  return result;
}

/** Undefined means that the value is the same as none. A value of the wrong shape is left alone. */
function normaliseField(field: Field, value: Json): Json | undefined {
  if (value === null) return undefined;
  switch (field.shape) {
    case 'scalar':
      return !field.nullable && (value === '' || value === 0 || value === false) ? undefined : value;
    case 'intOrString':
      return value === 0 ? undefined : value;
    case 'quantity': {
      const quantity = normaliseQuantity(value, false);
      return quantity === '0' && !field.nullable ? undefined : quantity;
    }
    case 'map':
      return isJsonObject(value) ? normaliseMap(field.of, value) : value;
    case 'list':
      return Array.isArray(value) ? normaliseList(field.of, value) : value;
    case 'struct': {
      if (!isJsonObject(value)) return value;
      const object = normaliseStruct(field.of, value);
      return field.nullable || !isEmpty(object) ? object : undefined;
    }
    case 'opaque':
      return value;
    default:
      return field satisfies never;
  }
}

function normaliseList(of: Struct | null, list: Json[]): Json[] | undefined {
  if (list.length === 0) return undefined;
  return of === null ? list : list.map((item) => (isJsonObject(item) ? normaliseStruct(of, item) : item));
}

function normaliseMap(of: 'string' | 'quantity', map: JsonObject): JsonObject | undefined {
  const result: JsonObject = {};
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    setMember(result, key, of === 'quantity' ? normaliseQuantity(value ?? '0', true) : (value ?? ''));
  }
  return isEmpty(result) ? undefined : result;
}

function normaliseQuantity(value: Json, isResource: boolean): Json {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const quantity = parseQuantity(value);
  if (quantity === undefined) return value;
  return formatPretty(isResource ? roundUpToMilli(quantity) : quantity);
}

/** The deprecated name is an alias; the server fills in either from the other. */
function foldServiceAccount(spec: JsonObject): void {
  if (spec.serviceAccount === undefined) return;
  spec.serviceAccountName ??= spec.serviceAccount;
  delete spec.serviceAccount;
}

function isEmpty(object: JsonObject): boolean {
  for (const _key in object) return false;
  return true;
}
