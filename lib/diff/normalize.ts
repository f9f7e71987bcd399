import { applyDefaults } from '@/lib/diff/defaults';
import { POD_TEMPLATE, rootOf } from '@/lib/diff/structs';
import { type KnownNormalizers, normalizeData, withoutDirectives } from '@/lib/diff/normalize-data';
import { isApplicationBody } from '@/lib/kube/application-body';
import type { Field, Struct } from '@/lib/kube/fields';
import { canonicalJson, isJsonObject, type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { formatPretty, parseQuantity, roundUpToMilli } from '@/lib/kube/quantity';
import { isRecordedData } from '@/lib/kube/recorded-data';
import { mapPodTemplates } from '@/lib/kube/pod-templates';

/** Written by the Deployment controller into the templates of its ReplicaSets; never in a desired template. */
const HASH_LABEL = 'pod-template-hash';

/**
 * A pod template, or one of groups of pods, in the one form of all templates that mean the same to the API
 * server: without bookkeeping, with its defaults, quantities in one spelling, and without values that equal
 * an absent one. List order is kept, and so is every entry of a list or map; fields that Kubernetes does not
 * know stay as they are. The input is not changed, but may share parts with the result. Two templates are
 * equal to the Deployment controller
 * (https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/util/deployment_util.go,
 * EqualIgnoreHash) exactly when their normalized forms are. Normalizing twice equals normalizing once; that of a
 * masked template is masked.
 */
export function normalizeTemplate<Template extends JsonObject>(template: Template): Template {
  return normalized(template) as Template;
}

function normalized(template: JsonObject): JsonObject {
  if (isRecordedData(template)) return normalizeData(template, KNOWN_NORMALIZERS);
  if (isApplicationBody(template)) return normalizeStruct(rootOf(template), template);
  const cleaned = mapPodTemplates(withoutRecordingMetadata(template), (part) => {
    const rest = withoutCreationTimestamp(part);
    return { ...rest, spec: rest.spec ?? {} };
  });
  return normalizeStruct(rootOf(template), cleaned);
}

const KNOWN_NORMALIZERS: KnownNormalizers = {
  podTemplate: (part) =>
    normalizeStruct(POD_TEMPLATE, withoutCreationTimestamp(withoutRecordingMetadata(part))),
  quantities: (map) => normalizeMap('quantity', map),
  quantity: (value) => normalizeQuantity(value, false),
};

/**
 * Version of the normalization rules: increment it with every change that gives a template another form,
 * since archives store results of the rules of their time.
 */
export const NORMAL_FORM_VERSION = 1;

/** Text that two templates share exactly when they are semantically equal, list order included; meant for hashing. */
export function semanticText(template: JsonObject): string {
  return canonicalJson(normalizeTemplate(template));
}

/** The template as stored, without what only its record carries: `$patch` and the label `pod-template-hash`. */
export function withoutRecordingMetadata(template: JsonObject): JsonObject {
  if (isRecordedData(template)) return withoutDirectives(template);
  if (isApplicationBody(template)) return template;
  const { $patch: _patch, ...rest } = template;
  if (!isJsonObject(rest.metadata) || !isJsonObject(rest.metadata.labels)) return rest;
  const { [HASH_LABEL]: hash, ...labels } = rest.metadata.labels;
  if (hash === undefined) return rest;
  // A map without other entries did not exist before the controller added the label.
  const { labels: _labels, ...metadata } = rest.metadata;
  return { ...rest, metadata: isEmpty(labels) ? metadata : { ...metadata, labels } };
}

function withoutCreationTimestamp(rest: JsonObject): JsonObject {
  if (!isJsonObject(rest.metadata)) return rest;
  const { creationTimestamp: _created, ...metadata } = rest.metadata;
  return { ...rest, metadata };
}

function normalizeStruct(struct: Struct, object: JsonObject): JsonObject {
  const result: JsonObject = {};
  for (const key in object) {
    const value = object[key];
    if (value === undefined) continue;
    const field = struct.fields.get(key);
    const normalized = field === undefined ? value : normalizeField(field, value);
    if (normalized !== undefined) setMember(result, key, normalized);
  }
  if (struct.name === 'PodSpec') mergeServiceAccountAlias(result);
  applyDefaults(struct.name, result);
  return result;
}

/** Undefined means that the value equals an absent one. A value of the wrong type is not changed. */
function normalizeField(field: Field, value: Json): Json | undefined {
  if (value === null) return undefined;
  switch (field.shape) {
    case 'scalar':
      return !field.nullable && (value === '' || value === 0 || value === false) ? undefined : value;
    case 'intOrString':
      return value === 0 ? undefined : value;
    case 'quantity': {
      const quantity = normalizeQuantity(value, false);
      return quantity === '0' && !field.nullable ? undefined : quantity;
    }
    case 'map':
      return isJsonObject(value) ? normalizeMap(field.of, value) : value;
    case 'list':
      return Array.isArray(value) ? normalizeList(field.of, value) : value;
    case 'struct': {
      if (!isJsonObject(value)) return value;
      const object = normalizeStruct(field.of, value);
      return field.nullable || !isEmpty(object) ? object : undefined;
    }
    case 'opaque':
      return value;
    default:
      return field satisfies never;
  }
}

function normalizeList(of: Struct | null, list: Json[]): Json[] | undefined {
  if (list.length === 0) return undefined;
  return of === null ? list : list.map((item) => (isJsonObject(item) ? normalizeStruct(of, item) : item));
}

function normalizeMap(of: 'string' | 'quantity', map: JsonObject): JsonObject | undefined {
  const result: JsonObject = {};
  for (const key in map) {
    const value = map[key];
    if (value === undefined) continue;
    setMember(result, key, of === 'quantity' ? normalizeQuantity(value ?? '0', true) : (value ?? ''));
  }
  return isEmpty(result) ? undefined : result;
}

function normalizeQuantity(value: Json, isResource: boolean): Json {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  const quantity = parseQuantity(value);
  if (quantity === undefined) return value;
  return formatPretty(isResource ? roundUpToMilli(quantity) : quantity);
}

/** The deprecated name is an alias; the server sets either from the other. */
function mergeServiceAccountAlias(spec: JsonObject): void {
  if (spec.serviceAccount === undefined) return;
  spec.serviceAccountName ??= spec.serviceAccount;
  delete spec.serviceAccount;
}

function isEmpty(object: JsonObject): boolean {
  for (const _key in object) return false;
  return true;
}
