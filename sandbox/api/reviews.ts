import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import type { AccessTable, Caller } from '@/sandbox/api/access';
import { badRequest } from '@/sandbox/api/objects/api-status';
import type { ReviewKind } from '@/sandbox/api/objects/resource-kind';
import { listOrEmptyAt, objectOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/** Answers a review of rights or identity. Throws ApiStatus 400. */
export function answerReview(
  { group, kind, plural }: ReviewKind,
  body: Json,
  caller: Caller,
  access: AccessTable,
): JsonObject {
  if (!isJsonObject(body)) throw badRequest(`the object provided is unrecognized (must be of type ${kind})`);
  const spec = objectOrEmptyAt(body, 'spec');
  const status = statusOf(plural, spec, caller, access);
  return { kind, apiVersion: `${group}/v1`, metadata: { creationTimestamp: null }, spec, status };
}

function statusOf(plural: string, spec: JsonObject, caller: Caller, access: AccessTable): JsonObject {
  switch (plural) {
    case 'selfsubjectreviews':
      return { userInfo: userInfo(caller) };
    case 'selfsubjectrulesreviews':
      return rulesStatus(caller, access, textOrEmptyAt(spec, 'namespace'));
    case 'selfsubjectaccessreviews':
      return accessStatus(spec, caller, access);
    default:
      return accessStatus(spec, subjectOf(spec), access);
  }
}

/** As the roles `system:discovery` and `system:public-info-viewer` list them. */
const OPEN_PATHS = [
  '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
  '/healthz /livez /readyz /version /version/',
].map((paths) => paths.split(' '));

function userInfo({ name, uid, groups, extra }: Caller): JsonObject {
  const info: JsonObject = { username: name, groups: [...groups] };
  if (uid !== '') info.uid = uid;
  const lists = Object.entries(extra).map(([key, values]) => [key, [...values]] as [string, string[]]);
  if (lists.length > 0) info.extra = Object.fromEntries(lists);
  return info;
}

function subjectOf(spec: JsonObject): Caller {
  return {
    name: textOrEmptyAt(spec, 'user'),
    uid: textOrEmptyAt(spec, 'uid'),
    groups: listOrEmptyAt(spec, 'groups').map(String),
    extra: {},
  };
}

function accessStatus({ resourceAttributes }: JsonObject, caller: Caller, access: AccessTable): JsonObject {
  if (!isJsonObject(resourceAttributes)) throw badRequest('only resourceAttributes are reviewed here');
  const text = (name: string) => textOrEmptyAt(resourceAttributes, name);
  const allowed = access.mayAct(caller, {
    verb: text('verb'),
    group: text('group'),
    resource: text('resource'),
    subresource: text('subresource'),
    namespace: text('namespace'),
    name: text('name'),
  });
  return allowed ? { allowed, reason: 'Allowed by a rule of the sandbox.' } : { allowed };
}

function rulesStatus(caller: Caller, access: AccessTable, namespace: string): JsonObject {
  const rules = access
    .rulesOf(caller)
    .filter((rule) => rule.namespace === undefined || rule.namespace === namespace);
  return {
    resourceRules: rules.map(({ groups, resources, verbs, names }) => ({
      verbs: [...verbs],
      apiGroups: [...groups],
      resources: [...resources],
      ...(names === undefined ? {} : { resourceNames: [...names] }),
    })),
    nonResourceRules: [...(caller.groups.includes('system:masters') ? [['*']] : []), ...OPEN_PATHS].map(
      (paths) => ({ verbs: [paths[0] === '*' ? '*' : 'get'], nonResourceURLs: [...paths] }),
    ),
    incomplete: false,
  };
}
