import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { testCluster } from '@/e2e/controlplane/test-cluster';
import { READER_NAMESPACE, type User } from '@/e2e/controlplane/users';
import { connectTo, userWithToken, viewerWith, viewerWithToken } from '@/e2e/cluster/connection';
import { createDeployment, deploymentPath } from '@/e2e/cluster/deployments';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import type { AccessQuestion } from '@/server/cluster/access';
import type { LiveCluster } from '@/server/cluster/live-cluster';
import type { Viewer } from '@/server/shared/viewer';

const shop = READER_NAMESPACE;
const users: User[] = ['viewer', 'reader-shop', 'patcher', 'operator', 'nobody'];
const deployments = { group: 'apps', resource: 'deployments' };
const questions: AccessQuestion[] = [
  { verb: 'list', ...deployments },
  { verb: 'get', ...deployments, namespace: shop },
  { verb: 'patch', ...deployments, namespace: shop },
  { verb: 'update', ...deployments, namespace: 'default' },
  { verb: 'get', group: '', resource: 'pods', subresource: 'log', namespace: shop },
  // A right of everyone whom the API server authenticates.
  { verb: 'create', group: 'authorization.k8s.io', resource: 'selfsubjectaccessreviews' },
];

let controlPlane: ControlPlane;
let cluster: LiveCluster;

beforeAll(async () => {
  controlPlane = await startControlPlane();
  cluster = connectTo(controlPlane);
  await createDeployment(controlPlane, shop, 'cart', { replicas: 0 });
});
afterAll(async () => {
  await cluster?.stop();
  await controlPlane?.stop();
});

const impersonated = (user: string) => viewerWith(user, { kind: 'impersonate', user });
const withOwnToken = (user: User) => userWithToken(controlPlane, user);

/** What kubectl says of that user. */
async function canI(
  user: string,
  { verb, group, resource, subresource = '', namespace }: AccessQuestion,
  groups: string[] = [],
) {
  const { stdout } = await controlPlane.kubectl([
    ...['auth', 'can-i', verb, group === '' ? resource : `${resource}.${group}`],
    ...[`--as=${user}`, ...groups.map((name) => `--as-group=${name}`), `--subresource=${subresource}`],
    ...(namespace === undefined ? ['--all-namespaces'] : [`--namespace=${namespace}`]),
  ]);
  return stdout.trim();
}

async function rightsOf(viewer: Viewer): Promise<string[]> {
  const answers = await Promise.all(questions.map((question) => cluster.access.can(viewer, question)));
  return answers.map(({ allowed }) => (allowed ? 'yes' : 'no'));
}

function annotate(viewer: Viewer) {
  return cluster.transportFor(viewer).json({
    method: 'PATCH',
    path: deploymentPath(shop, 'cart'),
    body: JSON.stringify({ metadata: { annotations: { by: viewer.id } } }),
    contentType: 'application/merge-patch+json',
  });
}

/** Users of the patches in the audit log since then. */
async function patchers(since: number): Promise<Set<string>> {
  const entries = await controlPlane.audit(since);
  return new Set(entries.filter(({ verb }) => verb === 'patch').map(({ user }) => user));
}

const hasAll = await needs('Viewers', 'kubectl', 'audit');

describe.runIf(hasAll)('a viewer has the rights of their own user', () => {
  it.each(users)('%s', async (user) => {
    const expected = await Promise.all(questions.map((question) => canI(user, question)));
    expect(await rightsOf(impersonated(user))).toEqual(expected);
    expect(await rightsOf(withOwnToken(user))).toEqual(expected);
  });

  it('and so their requests, whatever the process is allowed to', async () => {
    for (const viewerOf of [impersonated, withOwnToken] as const) {
      await expect(annotate(viewerOf('viewer'))).rejects.toMatchObject({ code: 'forbidden' });
      await annotate(viewerOf('operator'));
      expect((await cluster.access.whoAmI(viewerOf('operator'))).name).toBe('operator');
    }
  });

  it('and their name in the audit log', async () => {
    const since = await controlPlane.auditPosition();
    await annotate(withOwnToken('patcher'));
    await until('the patch is logged', async () => (await patchers(since)).size > 0);
    expect(await patchers(since)).toEqual(new Set(['patcher']));
  });

  it('and none with a token that is no longer valid', async () => {
    await expect(annotate(viewerWithToken('gone', 'no-longer-valid'))).rejects.toMatchObject({
      code: 'unauthorized',
      details: { credential: 'viewer' },
    });
  });

  it('and none of the system', async () => {
    const masters = viewerWith('eve', { kind: 'impersonate', user: 'eve', groups: ['system:masters'] });
    expect(() => annotate(masters)).toThrow(/only the API server gives/);
    await expect(cluster.access.can(masters, { verb: 'get', ...deployments })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});

describe.runIf(hasAll && testCluster() === 'real')('a role in one namespace', () => {
  const account = `system:serviceaccount:${shop}:ci`;

  beforeAll(async () => {
    for (const args of [
      ['create', 'serviceaccount', 'ci'],
      ['create', 'role', 'ci', '--verb=get,patch', '--resource=deployments.apps'],
      ['create', 'rolebinding', 'ci', '--role=ci', `--serviceaccount=${shop}:ci`, '--group=ops'],
    ])
      expect(await controlPlane.kubectl([...args, '-n', shop])).toMatchObject({ code: 0 });
  });

  it('counts for an impersonated viewer in a group of it', async () => {
    const expected = await Promise.all(questions.map((question) => canI('dev', question, ['ops'])));
    expect(expected).toContain('yes');
    const viewer = viewerWith('dev', { kind: 'impersonate', user: 'dev', groups: ['on call', 'ops'] });
    expect(await rightsOf(viewer)).toEqual(expected);
    await annotate(viewer);
    await expect(annotate(impersonated('dev'))).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('counts for the token of its service account, which acts as itself', async () => {
    const { stdout } = await controlPlane.kubectl(['create', 'token', 'ci', '-n', shop]);
    const viewer = viewerWithToken(account, stdout.trim());
    expect(await cluster.access.whoAmI(viewer)).toMatchObject({
      name: account,
      groups: expect.arrayContaining(['system:serviceaccounts', 'system:authenticated']) as unknown,
    });
    expect(await rightsOf(viewer)).toEqual(
      await Promise.all(questions.map((question) => canI(account, question))),
    );
    const since = await controlPlane.auditPosition();
    await annotate(viewer);
    await until('the patch is logged', async () => (await patchers(since)).size > 0);
    expect(await patchers(since)).toEqual(new Set([account]));
  });
});
