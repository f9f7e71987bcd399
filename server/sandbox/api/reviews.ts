import { isJsonObject, type Json, type JsonObject } from '@/lib/kube/json';
import { type AccessTable, type Caller } from '@/server/sandbox/api/access';
import { badRequest } from '@/server/sandbox/api/api-status';
import { type ReviewKind } from '@/server/sandbox/api/kind-table';
import { listAt, objectAt, textAt } from '@/server/sandbox/api/stored-object';

/** Answers a question about rights or identity. Throws ApiStatus 400. */
export function answerReview(kind: ReviewKind, body: Json, caller: Caller, access: AccessTable): JsonObject {
  if (!isJsonObject(body))
    throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind})`);
  const answer = {
    kind: kind.kind,
    apiVersion: `${kind.group}/${kind.version}`,
    metadata: { creationTimestamp: null },
  };
  switch (kind.plural) {
    case 'selfsubjectreviews':
      return { ...answer, status: { userInfo: userInfo(caller) } };
    case 'selfsubjectrulesreviews':
      return { ...answer, spec: {}, status: rulesStatus(caller, access, textAt(body, 'spec', 'namespace')) };
    case 'selfsubjectaccessreviews':
      return { ...answer, spec: body.spec, status: verdict(objectAt(body, 'spec'), caller, access) };
    default:
      return { ...answer, spec: body.spec, status: verdict(objectAt(body, 'spec'), subjectOf(body), access) };
  }
}

/** As the roles `system:discovery` and `system:public-info-viewer` list them. */
const OPEN_PATHS: readonly (readonly string[])[] = [
  [
    '/api',
    '/api/*',
    '/apis',
    '/apis/*',
    '/healthz',
    '/livez',
    '/openapi',
    '/openapi/*',
    '/readyz',
    '/version',
    '/version/',
  ],
  ['/healthz', '/livez', '/readyz', '/version', '/version/'],
];

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
    name: textAt(body, 'spec', 'user'),
    uid: textAt(body, 'spec', 'uid'),
    groups: listAt(body, 'spec', 'groups').map(String),
    extra: {},
  };
}

function verdict(spec: JsonObject, caller: Caller, access: AccessTable): JsonObject {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isJsonObject(nonResourceAttributes)) {
    const allowed =
      ['get', '*'].includes(textAt(nonResourceAttributes, 'verb')) &&
      access.mayRead(caller, textAt(nonResourceAttributes, 'path'));
    return { allowed };
  }
  if (!isJsonObject(resourceAttributes)) {
    throw badRequest('exactly one of nonResourceAttributes or resourceAttributes must be specified');
  }
  const allowed = access.mayAct(caller, {
    verb: textAt(resourceAttributes, 'verb'),
    group: textAt(resourceAttributes, 'group'),
    resource: textAt(resourceAttributes, 'resource'),
    subresource: textAt(resourceAttributes, 'subresource'),
    namespace: textAt(resourceAttributes, 'namespace'),
    name: textAt(resourceAttributes, 'name'),
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
