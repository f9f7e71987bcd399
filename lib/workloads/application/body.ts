import { type ApplicationBody, isApplicationBody } from '@/lib/kube/application-body';
import { isJsonObject, type Json, type JsonObject, setMember, isEmptyObject } from '@/lib/kube/json';
import { packedBody } from '@/lib/kube/packed-body';
import { applications } from '@/lib/workloads/application/resource';
import type { RecordedObject } from '@/lib/workloads/kind';
import { objectAt, objectsAt, textAt } from '@/lib/kube/read';
import type { Template } from '@/lib/history/workload';

/** Kinds of definitions as a revision names them, and their names in a sentence. */
const DEFINITIONS = {
  component: 'componentDefinitions',
  workload: 'workloadDefinitions',
  trait: 'traitDefinitions',
  policy: 'policyDefinitions',
  workflowStep: 'workflowStepDefinitions',
} as const;

/** Written by the API server or a controller, and never part of the desired spec. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/**
 * What the `spec` of an ApplicationRevision records. A compressed one stays compressed; one without an
 * Application is as unreadable as one with an unknown compression.
 * https://github.com/kubevela/kubevela/blob/master/apis/core.oam.dev/v1beta1/applicationrevision_types.go
 */
export function readRecordedBody(spec: JsonObject | undefined): Template {
  const type = textAt(spec, 'compression', 'type') ?? '';
  if (type !== '') return packedBody(type, textAt(spec, 'compression', 'data') ?? '');
  return applicationBodyOf(spec) ?? packedBody('', '');
}

/**
 * The same of a spec that is not compressed, or was decompressed; undefined where it contains no Application.
 */
export function applicationBodyOf(spec: JsonObject | undefined): ApplicationBody | undefined {
  const application = objectAt(spec, 'application', 'spec');
  if (application === undefined) return undefined;
  const definitions = definitionsIn(spec);
  const policies = byName(objectAt(spec, 'policies'), withoutBookkeeping);
  const workflow = objectAt(spec, 'workflow');
  const versions = objectAt(spec, 'policyVersions');
  const referred = objectsAt(spec, 'referredObjects').map(referredObject);
  return {
    application,
    ...(!isEmptyObject(definitions) && { definitions }),
    ...(!isEmptyObject(policies) && { policies }),
    ...(workflow && { workflow: withoutBookkeeping(workflow) }),
    ...(versions && !isEmptyObject(versions) && { policyVersions: versions }),
    ...(referred.length > 0 && { referred }),
  };
}

function definitionsIn(spec: JsonObject | undefined): JsonObject {
  const byKey: JsonObject = {};
  for (const [kind, member] of Object.entries(DEFINITIONS)) {
    const ofKind = byName(objectAt(spec, member), definitionOf);
    if (!isEmptyObject(ofKind)) byKey[kind] = ofKind;
  }
  return byKey;
}

/** Its place decides which definition is meant; nothing else in its metadata does. */
function definitionOf(definition: JsonObject): JsonObject {
  const namespace = textAt(definition, 'metadata', 'namespace') ?? '';
  const spec = objectAt(definition, 'spec') ?? {};
  return { ...(namespace !== '' && { namespace }), spec };
}

function byName(objects: JsonObject | undefined, read: (object: JsonObject) => JsonObject): JsonObject {
  const byKey: JsonObject = {};
  for (const [name, object] of Object.entries(objects ?? {})) {
    if (isJsonObject(object)) setMember(byKey, name, read(object));
  }
  return byKey;
}

function withoutBookkeeping(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([member]) => !BOOKKEEPING.has(member)));
}

/** Only the API server may know the data of a Secret. */
function referredObject(object: JsonObject): JsonObject {
  const { metadata, status: _status, ...rest } = object;
  const { data: _data, stringData: _text, ...bare } = rest;
  const identity: Json = {
    name: textAt(metadata, 'name') ?? '',
    ...(textAt(metadata, 'namespace') !== undefined && { namespace: textAt(metadata, 'namespace') }),
    labels: objectAt(metadata, 'labels') ?? {},
  };
  return { ...(rest.kind === 'Secret' ? bare : rest), metadata: identity };
}

/** The definitions that a body was rendered with, to compare with those of the cluster. */
export function definitionsOf(body: Template): RecordedObject[] {
  if (!isApplicationBody(body)) return [];
  return Object.entries(DEFINITIONS).flatMap(([kind, plural]) =>
    Object.entries(objectAt(body.definitions, kind) ?? {}).map(([name, definition]) => ({
      ...{ kind: `${kind} definition`.replace('workflowStep', 'workflow step'), name },
      ...{ group: applications.group, version: 'v1beta1', plural: plural.toLowerCase() },
      namespace: textAt(definition, 'namespace') ?? SYSTEM_NAMESPACE,
      spec: objectAt(definition, 'spec') ?? {},
    })),
  );
}

/** The namespace of KubeVela's shared definitions. */
const SYSTEM_NAMESPACE = 'vela-system';
