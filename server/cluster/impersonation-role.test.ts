import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { rolloutSystems } from '@/lib/rollout/systems/table';
import { workloadKinds } from '@/lib/workloads/kinds/table';

const roleSchema = z.object({
  rules: z.array(
    z.object({
      apiGroups: z.array(z.string()),
      resources: z.array(z.string()),
      resourceNames: z.array(z.string()).optional(),
      verbs: z.array(z.string()),
    }),
  ),
});

const pathOf = (name: string) => fileURLToPath(new URL(`../../deploy/rbac/${name}.yaml`, import.meta.url));

/** What the role allows on every object of a resource: `get deployments.apps`. */
function rightsIn(name: string): string[] {
  const { rules } = roleSchema.parse(parse(readFileSync(pathOf(name), 'utf8')));
  return rules
    .filter(({ resourceNames }) => resourceNames === undefined)
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((plural) => verbs.map((verb) => `${verb} ${plural}.${group}`)),
      ),
    );
}

const writable = workloadKinds.map(({ resource }) => resource);
const read = [
  ...writable,
  ...workloadKinds.map(({ source }) => source.resource),
  ...rolloutSystems.flatMap(({ resource, relatedObjects }) => [
    resource,
    ...relatedObjects.map((related) => related.resource),
  ]),
];

test('read-only.yaml has every resource that Shiplog lists, and read-write.yaml every kind that it writes', () => {
  const readRights = rightsIn('read-only');
  const writeRights = rightsIn('read-write');
  for (const { plural, group } of read)
    for (const verb of ['get', 'list', 'watch']) expect(readRights).toContain(`${verb} ${plural}.${group}`);
  for (const { plural, group } of writable) expect(writeRights).toContain(`patch ${plural}.${group}`);
});

/**
 * A viewer's own requests read one object, read the lists of the checks before a rollback, and write; lists of workloads
 * come from the cache. Not Secrets: who takes Shiplog over could read every one that some person may read.
 */
function impersonatedRights(): string[] {
  const rights = [
    ...rightsIn('read-only').filter((right) => right.startsWith('get ')),
    ...rightsIn('read-write').filter((right) => right !== 'get secrets.'),
    'create selfsubjectreviews.authentication.k8s.io',
  ];
  return [...new Set(rights)];
}

/** `npm run docs:rbac` writes it. */
test('impersonate.yaml has the rights of read-only.yaml and read-write.yaml that a viewer uses, and no others', async () => {
  const byVerbAndGroup = Map.groupBy(impersonatedRights(), (right) => {
    const [verb = '', resource = ''] = right.split(' ');
    return JSON.stringify([resource.slice(resource.indexOf('.') + 1), verb]);
  });
  const rules = [...byVerbAndGroup].map(([key, rights]) => {
    const [group, verb] = JSON.parse(key) as [string, string];
    const resources = rights.map((right) => right.split(' ')[1]?.split('.', 1)[0]).sort();
    const list = resources.map((resource) => `      - ${resource}\n`).join('');
    return `  - apiGroups: ['${group}']\n    resources:\n${list}    verbs: ['impersonate-on:user-info:${verb}']\n`;
  });
  await expect(`${head}${rules.sort().join('')}`).toMatchFileSnapshot(pathOf('impersonate'));
});

const head = `# Written by \`npm run docs:rbac\` from read-only.yaml and read-write.yaml. For SHIPLOG_AUTH=oidc, proxy-jwt and proxy-headers, on top of
# read-only.yaml: lets Shiplog read and act as the people who sign in, each with their own rights, and nothing beyond what
# is listed here, whatever their rights. Kubernetes 1.36 or newer; see docs/sign-in.md for older ones.
# https://kubernetes.io/docs/reference/access-authn-authz/user-impersonation/
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: shiplog-impersonate
rules:
  # What people may see is checked without impersonation.
  - apiGroups: [authorization.k8s.io]
    resources: [subjectaccessreviews]
    verbs: [create]
  # When rights change, so that it counts at once and not after a minute. May be left out.
  - apiGroups: [rbac.authorization.k8s.io]
    resources: [roles, rolebindings, clusterroles, clusterrolebindings]
    verbs: [list, watch]
  # Who they are. The API server itself refuses system:masters, nodes, and service accounts. To admit some groups only,
  # name them in resourceNames in a rule of their own.
  - apiGroups: [authentication.k8s.io]
    resources: [users, groups]
    verbs: ['impersonate:user-info']
  # What they do. Secrets are left out, so that the check for missing ones is marked as not possible.
`;
