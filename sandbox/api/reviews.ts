import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { type AccessTable, type Caller } from '@/sandbox/api/access';
import { badRequest } from '@/sandbox/api/objects/api-status';
import { type ReviewKind } from '@/sandbox/api/kind-table';
import { listOrEmptyAt, objectOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';

/** Answers a review of rights or identity. Throws ApiStatus 400. */
export function answerReview(kind: ReviewKind, body: Json, caller: Caller, access: AccessTable): JsonObject {
  if (!isJsonObject(body))
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind})`);

  return {
    kind: kind.kind,
    apiVersion: `${kind.group}/${kind.version}`,
    metadata: { creationTimestamp: null },
    spec: body.spec ?? {},
    status: statusOf(kind, body, caller, access),
  };
}

function statusOf({ plural }: ReviewKind, body: JsonObject, caller: Caller, access: AccessTable): JsonObject {
  switch (plural) {
    case 'selfsubjectreviews':
      return { userInfo: userInfo(caller) };
    case 'selfsubjectrulesreviews':
      return rulesStatus(caller, access, textOrEmptyAt(body, 'spec', 'namespace'));
    case 'selfsubjectaccessreviews':
      return accessStatus(objectOrEmptyAt(body, 'spec'), caller, access);
    default:
      return accessStatus(objectOrEmptyAt(body, 'spec'), subjectOf(body), access);
  }
}

/** As the roles `system:discovery` and `system:public-info-viewer` list them. */
const OPEN_PATHS = [
  '/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/',
  '/healthz /livez /readyz /version /version/',
].map((paths) => paths.split(' '));

function userInfo({ name, uid, groups, extra }: Caller): JsonObject {
  return {
    username: name,
    ...(uid === '' ? {} : { uid }),
    groups: [...groups],
    ...(Object.keys(extra).length === 0
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}

function subjectOf(body: JsonObject): Caller {
  return {
    name: textOrEmptyAt(body, 'spec', 'user'),
    uid: textOrEmptyAt(body, 'spec', 'uid'),
    groups: listOrEmptyAt(body, 'spec', 'groups').map(String),
    extra: {},
  };
}

function accessStatus(spec: JsonObject, caller: Caller, access: AccessTable): JsonObject {
  const { resourceAttributes } = spec;
  if (!isJsonObject(resourceAttributes)) throw badRequest('only resourceAttributes are reviewed here');
  const allowed = access.mayAct(caller, {
    verb: textOrEmptyAt(resourceAttributes, 'verb'),
    group: textOrEmptyAt(resourceAttributes, 'group'),
    resource: textOrEmptyAt(resourceAttributes, 'resource'),
    subresource: textOrEmptyAt(resourceAttributes, 'subresource'),
    namespace: textOrEmptyAt(resourceAttributes, 'namespace'),
    name: textOrEmptyAt(resourceAttributes, 'name'),
  });

  return { allowed, ...(allowed ? { reason: 'Allowed by a rule of the sandbox.' } : {}) };
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
