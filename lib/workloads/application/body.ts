import { type ApplicationBody, isApplicationBody } from '@/lib/kube/application-body';
import { isJsonObject, type Json, type JsonObject, setMember } from '@/lib/kube/json';
import { packedBody } from '@/lib/kube/packed-body';
import { applications } from '@/lib/workloads/application/resource';
import { type RecordedObject } from '@/lib/workloads/kind';
import { objectAt, objectsAt, textAt } from '@/lib/workloads/read';
import { type Template } from '@/lib/workloads/workload';

/** Kinds of definitions as a revision keeps them, and what people call them. */
const DEFINITIONS = {
  component: 'componentDefinitions',
  workload: 'workloadDefinitions',
  trait: 'traitDefinitions',
  policy: 'policyDefinitions',
  workflowStep: 'workflowStepDefinitions',
} as const;

/** Written by the API server or a controller, and never part of what was asked for. */
const BOOKKEEPING: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);

/**
 * What the `spec` of an ApplicationRevision records. Compressed, it stays so; one without an Application is as little
 * readable as one whose compression nobody knows.
 * https://github.com/kubevela/kubevela/blob/master/apis/core.oam.dev/v1beta1/applicationrevision_types.go
 */
export function recordedIn(spec: JsonObject | undefined): Template {
  const type = textAt(spec, 'compression', 'type') ?? '';
  if (type !== '') return packedBody(type, textAt(spec, 'compression', 'data') ?? '');
  return applicationBodyOf(spec) ?? packedBody('', '');
}

/** The same of a spec that is not compressed, or no longer; undefined where it records no Application. */
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
    ...(!isEmpty(definitions) && { definitions }),
    ...(!isEmpty(policies) && { policies }),
    ...(workflow && { workflow: withoutBookkeeping(workflow) }),
    ...(versions && !isEmpty(versions) && { policyVersions: versions }),
    ...(referred.length > 0 && { referred }),
  };
}

function definitionsIn(spec: JsonObject | undefined): JsonObject {
  const found: JsonObject = {};
  for (const [kind, member] of Object.entries(DEFINITIONS)) {
    const ofKind = byName(objectAt(spec, member), definitionOf);
    if (!isEmpty(ofKind)) found[kind] = ofKind;
  }
  return found;
}

/** Where it stands decides which one is meant, and nothing else of its metadata does. */
function definitionOf(definition: JsonObject): JsonObject {
  const namespace = textAt(definition, 'metadata', 'namespace') ?? '';
  const spec = objectAt(definition, 'spec') ?? {};
  return { ...(namespace !== '' && { namespace }), spec };
}

function byName(objects: JsonObject | undefined, read: (object: JsonObject) => JsonObject): JsonObject {
  const found: JsonObject = {};
  for (const [name, object] of Object.entries(objects ?? {})) {
    if (isJsonObject(object)) setMember(found, name, read(object));
  }
  return found;
}

function withoutBookkeeping(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([member]) => !BOOKKEEPING.has(member)));
}

/** What the data of a Secret is, nobody but the API server is to know. */
function referredObject(object: JsonObject): JsonObject {
  const { metadata, status: _status, ...rest } = object;
  const { data: _data, stringData: _text, ...bare } = rest;
  const marks: Json = {
    name: textAt(metadata, 'name') ?? '',
    ...(textAt(metadata, 'namespace') !== undefined && { namespace: textAt(metadata, 'namespace') }),
    labels: objectAt(metadata, 'labels') ?? {},
  };
  return { ...(rest.kind === 'Secret' ? bare : rest), metadata: marks };
}

/** The definitions that a body was rendered with, for a comparison with those of the cluster. */
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

/** Where KubeVela keeps the definitions that are for all. */
const SYSTEM_NAMESPACE = 'vela-system';

function isEmpty(object: JsonObject): boolean {
  return Object.keys(object).length === 0;
}
