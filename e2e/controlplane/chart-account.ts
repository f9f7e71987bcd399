import { parseAllDocuments } from 'yaml';
import { renderChart } from '@/e2e/controlplane/helm';
import { chartAccount } from '@/e2e/controlplane/users';

interface AccessObject {
  kind: string;
  metadata: { name: string; namespace?: string };
}

/** For people whom a provider names, and with every optional feature. */
const everything = {
  publicUrl: 'https://shiplog.example',
  auth: { mode: 'oidc', oidc: { issuer: 'https://login.example', clientId: 'shiplog' } },
  features: { anyOwner: true, watchConfig: true, writeRolloutHistory: true, oamRollout: true },
};

/** Input for kubectl: the roles that the chart renders, each bound to `admin`; undefined without SHIPLOG_TEST_ACCOUNT. */
export async function chartAccessManifests(): Promise<string | undefined> {
  const account = chartAccount();
  if (account === undefined) return undefined;
  const { roles } = await renderAccess(account === 'chart-features' ? everything : {});

  return linesOf(roles.flatMap((role) => [role, bindingOf(role)]));
}

/** Input for kubectl: the roles that the chart renders for people of a provider, bound as it binds them, but to `user`. */
export async function signInManifests(user: string): Promise<string> {
  const { roles, bindings } = await renderAccess({ publicUrl: everything.publicUrl, auth: everything.auth });
  const subjects = [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: user }];

  return linesOf([...roles, ...bindings.map((binding) => ({ ...binding, subjects }))]);
}

async function renderAccess(values: object) {
  const documents = parseAllDocuments(await renderChart(values, ['-n', 'default']));
  const objects = documents.flatMap((document) => (document.toJS() as AccessObject | null) ?? []);

  return {
    roles: objects.filter(({ kind }) => /^(Cluster)?Role$/.test(kind)),
    bindings: objects.filter(({ kind }) => /^(Cluster)?RoleBinding$/.test(kind)),
  };
}

function linesOf(objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join('\n');
}

function bindingOf({ kind, metadata: { name, namespace } }: AccessObject): object {
  const apiGroup = 'rbac.authorization.k8s.io';

  return {
    apiVersion: `${apiGroup}/v1`,
    kind: `${kind}Binding`,
    metadata: { name: `admin-${name}`, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup, kind, name },
    subjects: [{ apiGroup, kind: 'User', name: 'admin' }],
  };
}
