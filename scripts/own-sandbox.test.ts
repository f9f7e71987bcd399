import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const script = new URL('own-sandbox.mjs', import.meta.url);

/** The environment that is left when a sandbox starts; called twice, as by `npm start -- --sandbox`. */
function leftOf(env: Record<string, string>): unknown {
  const code = `
    const { forgetCluster } = await import(${JSON.stringify(script.href)});
    const env = ${JSON.stringify(env)};
    forgetCluster(env);
    forgetCluster(env);
    console.log(JSON.stringify(env));`;
  const cwd = fileURLToPath(new URL('..', import.meta.url));
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', code], { cwd, encoding: 'utf8' }),
  );
}

test('a sandbox sends no notification of the real cluster, and reads nothing of it', () => {
  const env = {
    KUBECONFIG: '/home/ann/.kube/config',
    DATABASE_URL: 'postgres://db/shiplog',
    SHIPLOG_WEBHOOK_URL: 'slack+https://hooks.example/team',
    SHIPLOG_WEBHOOK_SECRET: '0123456789abcdef',
    SHIPLOG_WEBHOOK_EVENTS: 'stuck',
    SHIPLOG_WEBHOOK_NAMESPACES: 'shop',
    SHIPLOG_CONTROLLERS: 'oam-rollout',
    SHIPLOG_PROMETHEUS_URL: 'http://prometheus',
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
