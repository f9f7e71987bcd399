import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = new URL('own-sandbox.mjs', import.meta.url);

/** What a function that gets the exports of the script returns. */
function resultOf(code: string): unknown {
  const text = `
    const script = await import(${JSON.stringify(script.href)});
    console.log(JSON.stringify(await (${code})(script)));`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  const env = { ...process.env, KUBERNETES_SERVICE_HOST: undefined };
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', text], { cwd, env, encoding: 'utf8' }),
  );
}

/** The environment that is left when a sandbox starts; called twice, as by `npm start -- --sandbox`. */
function leftOf(env: Record<string, string>): unknown {
  return resultOf(`({ forgetCluster }) => {
    const env = ${JSON.stringify(env)};
    forgetCluster(env);
    forgetCluster(env);
    return env;
  }`);
}

test('a sandbox sends no notification of the real cluster, and reads nothing of it', () => {
  const env = {
    KUBECONFIG: '/home/ann/.kube/config',
    SHIPLOG_CLUSTERS: '/etc/shiplog/clusters.yaml',
    DATABASE_URL: 'postgres://db/shiplog',
    SHIPLOG_WEBHOOK_URL: 'slack+https://hooks.example/team',
    SHIPLOG_WEBHOOK_SECRET: '0123456789abcdef',
    SHIPLOG_WEBHOOK_EVENTS: 'stuck',
    SHIPLOG_WEBHOOK_NAMESPACES: 'shop',
    SHIPLOG_CONTROLLERS: 'oam-rollout',
    SHIPLOG_PROMETHEUS_URL: 'http://prometheus',
    SHIPLOG_OAM_WEBHOOK_HOSTS: 'gate.shop.svc:8080',
    SHIPLOG_WRITE_ROLLOUTHISTORY: '1',
    PORT: '8440',
  };
  expect(leftOf(env)).toEqual({ PORT: '8440' });
});

test('a variable of its own reaches the sandbox', () => {
  const env = {
    SHIPLOG_WEBHOOK_URL: 'https://hooks.example/team',
    SHIPLOG_SANDBOX_WEBHOOK_URL: 'https://hooks.example/try',
  };
  expect(leftOf(env)).toMatchObject({ SHIPLOG_WEBHOOK_URL: 'https://hooks.example/try' });
});

test('the sandbox is for those who name no cluster, neither one nor several', () => {
  const wanted = (clusters: object) =>
    resultOf(
      `({ wantsSandbox }) => wantsSandbox({}, { clusters: ${JSON.stringify(clusters)}, cluster: { kind: 'none' } })`,
    );
  expect(wanted({ kind: 'one' })).toBe(true);
  expect(wanted({ kind: 'file', path: '/etc/shiplog/clusters.yaml' })).toBe(false);
});
