import { parseAllDocuments } from 'yaml';
import { renderChart } from '@/e2e/controlplane/helm';
import { chartAccount } from '@/e2e/controlplane/users';

interface Role {
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
  const text = await renderChart(account === 'chart-features' ? everything : {}, ['-n', 'default']);
  const roles = parseAllDocuments(text)
    .map((document) => document.toJS() as Role | null)
    .filter((object) => object?.kind === 'ClusterRole' || object?.kind === 'Role')
    .filter((role) => role !== null);

  return roles
    .flatMap((role) => [role, bindingOf(role)])
    .map((object) => JSON.stringify(object))
    .join('\n');
}

function bindingOf({ kind, metadata: { name, namespace } }: Role): object {
  const apiGroup = 'rbac.authorization.k8s.io';

  return {
    apiVersion: `${apiGroup}/v1`,
    kind: `${kind}Binding`,
    metadata: { name: `admin-${name}`, ...(namespace !== undefined && { namespace }) },
    roleRef: { apiGroup, kind, name },
    subjects: [{ apiGroup, kind: 'User', name: 'admin' }],
  };
}
