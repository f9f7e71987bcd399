import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startControlPlane } from '@/e2e/controlplane/control-plane';
import type { ControlPlane } from '@/e2e/controlplane/running-cluster';
import { tokenIn } from '@/e2e/controlplane/kubeconfig';
import { createDeployment, deploy, deploymentPath, IMAGE, shownAt } from '@/e2e/cluster/deployments';
import { openStream } from '@/e2e/cluster/event-stream';
import { everyRead, everyRoute } from '@/e2e/cluster/every-route';
import { until } from '@/e2e/cluster/fixtures';
import { needs } from '@/e2e/cluster/needs';
import { postRaw, sendRaw } from '@/e2e/cluster/raw-http';
import { seedNamespace, untilSettled } from '@/e2e/controlplane/seed';
import { type Shiplog, startShiplog } from '@/e2e/support/shiplog';
import type { KubeObject } from '@/lib/kube/object';

const namespace = 'safety';
const base = shownAt(namespace, 'web');
const page = `/workloads/deployments.apps/${namespace}/web`;
/** Whether the API server answers, and what it serves. */
const isAnyTime = /^\/(version|api|apis|api\/v1|apis\/[^/]+\/v\w+)$/;
let cluster: ControlPlane;
let shiplog: Shiplog;

beforeAll(async () => {
  cluster = await startControlPlane();
  await needs('Safety: what reached the API server', 'audit');
  shiplog = await startShiplog({
    kubeconfig: cluster.kubeconfigs.admin,
    env: { SHIPLOG_LOG_LEVEL: 'debug' },
  });
  await seedNamespace(cluster, namespace);
  await deploy(cluster, namespace, 'web', ['1.0', '1.1']);
  await until('both revisions are read', async () => (await shiplog.get(base)).revisions.length === 2);
});
afterAll(async () => {
  await shiplog?.stop();
  await cluster?.stop();
});

/** A dry run, which would succeed. */
async function dryRun(): Promise<object> {
  const { workload } = await shiplog.get(base);
  return { to: 1, seen: workload.seen, reason: '', dryRun: true };
}

describe('a foreign name for this server', () => {
  const foreign = { host: 'evil.example' };

  it.each(['/', page, base, '/icon.svg', '/nothing', ...everyRead.map(({ path }) => path)])(
    'is not answered at %s',
    async (path) => {
      const answer = await sendRaw(shiplog, path, { headers: foreign });
      expect(answer.status).toBe(421);
      expect(answer.text).toContain('SHIPLOG_PUBLIC_URL');
      expect(answer.text).not.toContain(IMAGE);
    },
  );

  it('is not answered for the files of the pages, nor for a rollback', async () => {
    const html = (await sendRaw(shiplog, '/')).text;
    const [script] = /\/_next\/static\/[^"\\]+\.js/.exec(html) ?? [''];
    expect(script).not.toBe('');
    expect((await sendRaw(shiplog, script)).status).toBe(200);
    expect((await sendRaw(shiplog, script, { headers: foreign })).status).toBe(421);
    expect((await postRaw(shiplog, `${base}/rollback`, await dryRun(), foreign)).status).toBe(421);
  });

  it.each([
    'evil.example:8440',
    'localhost.evil.example',
    'evil.example#localhost',
    'localhost@evil.example',
    '127.0.0.1.evil.example',
    '169.254.169.254',
    '0.0.0.0',
  ])('is recognized in any form (%s)', async (host) => {
    const answer = await sendRaw(shiplog, '/api/workloads', { headers: { host } });
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.text).not.toContain(IMAGE);
  });

  it('is not hidden by the headers of a proxy', async () => {
    const headers = { ...foreign, 'x-forwarded-host': 'localhost', forwarded: 'host=localhost' };
    expect((await sendRaw(shiplog, '/api/workloads', { headers })).status).toBe(421);
  });

  it.each(['localhost', '127.0.0.1', '[::1]', 'LOCALHOST'])('does not include %s', async (name) => {
    const headers = { host: `${name}:${shiplog.port}` };
    expect((await sendRaw(shiplog, '/api/healthz', { headers })).status).toBe(200);
  });

  it('does not include the public address', async () => {
    const env = { SHIPLOG_PUBLIC_URL: 'https://shiplog.example' };
    const named = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, env });
    try {
      const headers = { host: 'shiplog.example' };
      expect((await sendRaw(named, '/', { headers })).status).toBe(200);
      expect((await sendRaw(named, base, { headers })).status).toBe(200);
      expect((await sendRaw(named, base, { headers: foreign })).status).toBe(421);
      const request = await dryRun();
      const { seen } = (await named.get(base)).workload;
      const own = { ...headers, origin: 'https://shiplog.example', 'sec-fetch-site': 'same-origin' };
      expect((await postRaw(named, `${base}/rollback`, { ...request, seen }, own)).status).toBe(200);
      const other = { ...headers, origin: 'https://other.example' };
      expect((await postRaw(named, `${base}/rollback`, { ...request, seen }, other)).status).toBe(403);
      // A page from the viewer's own machine, on the default port.
      const local = { ...headers, origin: 'http://localhost' };
      expect((await postRaw(named, `${base}/rollback`, { ...request, seen }, local)).status).toBe(403);
    } finally {
      await named.stop();
    }
  });
});

describe('a script that names a cluster', () => {
  const answered = (path: string) => sendRaw(shiplog, path);

  it('is answered for that one or not at all', async () => {
    const { id, name } = await shiplog.get('/api/cluster');
    for (const path of ['/api/workloads', base, '/api/records', '/api/reports', '/api/cluster']) {
      for (const known of [id, name])
        expect((await answered(`${path}?cluster=${encodeURIComponent(known)}`)).status).toBe(200);
    }
    for (const { path } of everyRead) {
      const other = await answered(`${path}?cluster=staging`);
      expect([path, other.status]).toEqual([path, 400]);
      expect(other.json().error).toMatchObject({ code: 'bad_request', details: { known: [{ id, name }] } });
    }
  });

  it('cannot act on another one', async () => {
    const answer = await postRaw(shiplog, `${base}/rollback?cluster=staging`, await dryRun());
    expect(answer.status).toBe(400);
    expect(answer.json().error.message).toContain('Nothing was changed');
  });
});

describe('a page of another origin', () => {
  const send = async (headers: Record<string, string>) =>
    postRaw(shiplog, `${base}/rollback`, await dryRun(), headers);

  it.each([
    ['origin', 'https://evil.example'],
    ['origin', 'null'],
    ['origin', 'http://localhost:1'],
    ['origin', 'http://localhost.evil.example'],
    ['sec-fetch-site', 'cross-site'],
    ['sec-fetch-site', 'same-site'],
  ])('cannot act (%s: %s)', async (name, value) => {
    const answer = await send({ [name]: value });
    expect(answer.status).toBe(403);
    expect(answer.json().error).toMatchObject({ code: 'forbidden' });
  });

  it('cannot request a report, stream or list, and may link to a page', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    for (const path of ['/api/reports?format=csv', base, ...everyRead.map((read) => read.path)]) {
      const answer = await sendRaw(shiplog, path, { headers });
      expect([path, answer.status]).toEqual([path, 403]);
      expect(answer.json().error).toMatchObject({ code: 'forbidden' });
    }
    expect((await sendRaw(shiplog, '/', { headers })).status).toBe(200);
  });

  it('is distinguished from the own page and from a script', async () => {
    const own = { origin: `http://127.0.0.1:${shiplog.port}`, 'sec-fetch-site': 'same-origin' };
    expect((await send(own)).status).toBe(200);
    expect((await send({})).status).toBe(200);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'cannot send a form instead of JSON (%s)',
    async (type) => {
      const body = JSON.stringify(await dryRun());
      const headers: Record<string, string> = type === '' ? {} : { 'content-type': type };
      const answer = await sendRaw(shiplog, `${base}/rollback`, { method: 'POST', headers, body });
      expect(answer.status).toBe(415);
    },
  );
});

/** What the log has from this character on that is no line about a request: stacks, and what Next writes itself. */
function errorsSince(start: number): string[] {
  const lines = shiplog.log().slice(start).split('\n');
  return lines.filter((line) => line !== '' && !/"level":"(debug|info)"/.test(line));
}

describe('the audit of a refused sign-in', () => {
  it('has the address of the connection, and who it is forwarded for only where the request says so', async () => {
    const path = join(shiplog.dataDir, 'audit.jsonl');
    const before = readFileSync(path, 'utf8').length;
    const requests: Record<string, string>[] = [{}, { 'x-forwarded-for': '203.0.113.9, 198.51.100.1' }];
    for (const headers of requests)
      expect((await postRaw(shiplog, '/api/session', { key: 'wrong' }, headers)).status).toBe(401);
    const lines = readFileSync(path, 'utf8').slice(before).trim().split('\n');
    const senders = lines.map((line) => (JSON.parse(line) as { sender: object }).sender);
    expect(senders).toMatchObject([
      { address: '127.0.0.1', forwardedFor: null },
      { address: '127.0.0.1', forwardedFor: '203.0.113.9, 198.51.100.1' },
    ]);
  });
});

describe('a malformed request', () => {
  it('is refused by every route that has no such method', async () => {
    for (const { path, template } of everyRoute) {
      const known = everyRoute.filter((route) => route.template === template).map(({ method }) => method);
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].filter((each) => !known.includes(each)))
        expect([method, path, (await sendRaw(shiplog, path, { method })).status]).toEqual([
          method,
          path,
          405,
        ]);
    }
  });

  it.each([
    ['no JSON', '{"to": 1', 'body'],
    ['a list', '[]', 'body'],
    ['nothing', '', 'body'],
    ['too few fields', '{"to": 1}', 'seen'],
    ['a wrong type', '{"to": true, "seen": "x"}', 'to'],
    ['a fraction', '{"to": 1.5, "seen": "x"}', 'to'],
    ['an unknown field', '{"to": 1, "seen": "x", "force": true}', 'force'],
    ['a long reason', JSON.stringify({ to: 1, seen: 'x', reason: 'r'.repeat(1001) }), 'reason'],
    ['a long revision', JSON.stringify({ to: 'r'.repeat(254), seen: 'x' }), 'to'],
    ['a prototype', '{"to": 1, "seen": "x", "__proto__": {"dryRun": true}}', '__proto__'],
    ['a depth without end', '['.repeat(30_000), 'body'],
    ['a marker for a value', '{"to": 1, "seen": "x", "reason": "[masked:0123abcd]"}', 'body'],
  ])('is answered with the invalid field (%s)', async (_what, body, field) => {
    const answer = await postRaw(shiplog, `${base}/rollback`, body);
    expect(answer.status, answer.text).toBe(400);
    expect(answer.json().error).toMatchObject({ code: 'bad_request' });
    expect(answer.json().error.message).toMatch(new RegExp(`^${field}:`));
  });

  it.each([true, false])('is not read beyond its limit (chunked: %s)', async (chunked) => {
    const body = JSON.stringify({ to: 1, seen: 'x', reason: 'r'.repeat(100_000) });
    const headers = { 'content-type': 'application/json' };
    const answer = await sendRaw(shiplog, `${base}/rollback`, { method: 'POST', headers, body, chunked });
    expect(answer.status).toBe(413);
  });

  it.each([
    ['a name that is too long', shownAt(namespace, 'n'.repeat(254))],
    ['a way up', shownAt(namespace, '..%2f..%2fsecrets')],
    ['a way down', shownAt('kube-system%2fpods', 'web')],
    ['an end of a string', shownAt(namespace, 'web%00')],
    ['a name in no alphabet of names', shownAt(namespace, '%F0%9F%92%A5')],
    ['a lone percent sign', shownAt(namespace, '%')],
    ['a long resource', `/api/workloads/${'r'.repeat(300)}/${namespace}/web`],
    ['a prototype', `/api/workloads/__proto__/${namespace}/web`],
    ['a pod elsewhere', `${base}/pods/..%2flog/logs`],
    ['a long container', `${base}/pods/web/logs?container=${'c'.repeat(300)}`],
    ['a side elsewhere', `${base}/diff?from=pod:..%2f..%2fsecrets&to=live`],
    ['a long number', `${base}/revisions/${'9'.repeat(300)}`],
    ['a file', '/api/actions/..%2faudit.jsonl'],
    ['a page without end', `/${'x'.repeat(8_000)}`],
    ['a page that cannot be decoded', `/workloads/deployments.apps/${namespace}/%zz`],
  ])('is not redirected by a hostile address (%s)', async (_what, path) => {
    const mark = cluster.capabilities.audit ? await cluster.auditPosition() : 0;
    const answer = await sendRaw(shiplog, path);
    expect([400, 404, 414, 431]).toContain(answer.status);
    expect(answer.text).not.toContain('at Object.');
    if (!cluster.capabilities.audit) return;
    const asked = (await cluster.audit(mark)).filter(({ user, verb }) => user === 'admin' && verb === 'get');
    expect(asked.map(({ uri }) => uri).filter((uri) => !isAnyTime.test(uri))).toEqual([]);
  });

  it('with a method that no page and no path of the API has is refused everywhere, without a line in the log', async () => {
    const before = shiplog.log().length;
    const paths = [
      '/',
      page,
      base,
      '/api/stream',
      '/sign-in',
      '/sign-in/callback',
      '/metrics',
      '/icon.svg',
      '/nothing',
    ];
    for (const path of paths)
      for (const method of ['TRACE', 'PROPFIND', 'MKCOL', 'PURGE']) {
        const { status, headers } = await sendRaw(shiplog, path, { method });
        expect([method, path, status]).toEqual([method, path, 405]);
        expect(String(headers.allow)).toContain('GET');
      }
    expect(errorsSince(before)).toEqual([]);
  });

  it('that Next would take for a server action is refused without a line in the log', async () => {
    const before = shiplog.log().length;
    const form = '--x\r\nContent-Disposition: form-data; name="$ACTION_ID_abc"\r\n\r\n\r\n--x--\r\n';
    for (const path of ['/', page, '/metrics', '/nothing']) {
      for (const action of ['abc', '00'.repeat(21)]) {
        const headers = { 'next-action': action, 'content-type': 'text/plain;charset=UTF-8' };
        const answer = await sendRaw(shiplog, path, { method: 'POST', headers, body: '[]' });
        expect([path, answer.status, answer.headers.allow]).toEqual([path, 405, 'GET, HEAD']);
      }
      const headers = { 'content-type': 'multipart/form-data; boundary=x' };
      expect((await sendRaw(shiplog, path, { method: 'POST', headers, body: form })).status).toBe(405);
    }
    for (const path of [base, '/sign-in', '/sign-in/callback', '/api/session']) {
      const headers = { 'next-action': 'abc', 'content-type': 'text/plain;charset=UTF-8' };
      const { status } = await sendRaw(shiplog, path, { method: 'POST', headers, body: '[]' });
      expect([405, 415]).toContain(status);
    }
    expect(errorsSince(before)).toEqual([]);
  });

  it('ends in time even with a pathological regular expression', async () => {
    const evil = encodeURIComponent(`a in (${'x,'.repeat(400)}`);
    const answer = await sendRaw(shiplog, `/api/workloads?labelSelector=${evil}`);
    expect(answer.status).toBe(400);
  });
});

describe('an answer', () => {
  it('forbids a page whatever the page does not need', async () => {
    for (const path of ['/', page]) {
      const { headers, text } = await sendRaw(shiplog, path);
      const policy = String(headers['content-security-policy']);
      expect(policy).toContain("default-src 'self'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).toContain("object-src 'none'");
      expect(policy).toContain("base-uri 'none'");
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? '';
      expect(scripts).toMatch(/'nonce-[\w-]+'/);
      expect(scripts).not.toMatch(/unsafe-(inline|eval)/);
      const [, nonce = ''] = /'nonce-([\w-]+)'/.exec(scripts) ?? [];
      const tags = [...text.matchAll(/<script\b[^>]*>/g)].map(([tag]) => tag);
      expect(tags.length).toBeGreaterThan(0);
      for (const tag of tags) expect(tag).toContain(`nonce="${nonce}"`);
      expect(headers).toMatchObject({
        'x-frame-options': 'DENY',
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  it('has another nonce for each page', async () => {
    const [first, second] = await Promise.all([sendRaw(shiplog, '/'), sendRaw(shiplog, '/')]);
    expect(first.headers['content-security-policy']).not.toBe(second.headers['content-security-policy']);
  });

  it('of the API is stored nowhere, is no page, and may be read by no other origin', async () => {
    for (const path of ['/api/workloads', base, '/api/nothing', `${base}/revisions/77`]) {
      const { headers } = await sendRaw(shiplog, path, { headers: { origin: 'https://evil.example' } });
      expect(headers).toMatchObject({
        'cache-control': 'no-store, no-transform',
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'same-origin',
      });
      expect(String(headers['content-security-policy'])).toContain("default-src 'none'");
      expect(headers).not.toHaveProperty('access-control-allow-origin');
    }
  });

  it('never treats text from the cluster as HTML', async () => {
    const attack = '</script><script>alert(1)</script><img src=x onerror=alert(2)>';
    await createDeployment(cluster, namespace, 'hostile', {
      ...{ replicas: 1, image: `${IMAGE}:1.0` },
      annotations: { 'kubernetes.io/change-cause': attack, note: attack },
      container: { env: [{ name: 'TITLE', value: attack }] },
    });
    await untilSettled(cluster, 'Deployment', { namespace, name: 'hostile' });
    await until('it is read', () => shiplog.get(shownAt(namespace, 'hostile')));
    const paths = ['/', '/?q=hostile', `/workloads/deployments.apps/${namespace}/hostile`];
    for (const path of [
      ...paths,
      `${paths[2]}/compare?from=1&to=live`,
      `/?q=${encodeURIComponent(attack)}`,
    ]) {
      const { text } = await sendRaw(shiplog, path);
      expect(text, path).not.toContain('<script>alert(1)');
      expect(text, path).not.toContain('<img src=x');
    }
    const { headers } = await sendRaw(shiplog, shownAt(namespace, 'hostile'));
    expect(headers['content-type']).toContain('application/json');
  });
});

describe('credentials', () => {
  /** Each is in a different place, and none may be found anywhere. */
  const secrets = {
    environment: 'canary-env-4f1a',
    changed: 'canary-env-77c2',
    url: 'canary-url-90bd',
    flag: 'canary-flag-12aa',
    word: 'canary-word-5e5e',
    script: 'canary-script-c0de',
    header: 'canary-header-a1b2',
    applied: 'canary-applied-3f3f',
    annotation: 'canary-annotation-8d8d',
    templateAnnotation: 'canary-template-6b6b',
    label: 'canary-label-2c2c',
    cause: 'canary-cause-9e9e',
    event: 'canary-event-1d1d',
    log: 'canary-log-7a7a',
    key: 'canary-key-b3b3',
    reason: 'canary-reason-e4e4',
  };
  const secret = shownAt(namespace, 'secret');
  let gathered = '';

  beforeAll(async () => {
    const template = (password: string) => ({
      metadata: {
        labels: { app: 'secret' },
        annotations: { 'vault.example.com/token': secrets.templateAnnotation },
      },
      spec: {
        containers: [
          {
            ...{ name: 'app', image: `${IMAGE}:1.0` },
            command: [
              'sh',
              '-c',
              `export API_TOKEN=${secrets.script}; curl -H "Authorization: Bearer ${secrets.header}" x`,
            ],
            args: [`--password=${secrets.flag}`, '--token', secrets.word, '--verbose'],
            env: [
              { name: 'DB_PASSWORD', value: password },
              { name: 'DATABASE_URL', value: `postgres://app:${secrets.url}@db:5432/shop` },
            ],
          },
        ],
      },
    });
    await cluster.client().create(deploymentPath(namespace), {
      ...{ apiVersion: 'apps/v1', kind: 'Deployment' },
      metadata: {
        name: 'secret',
        labels: { 'session-token': secrets.label },
        annotations: {
          'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ spec: secrets.applied }),
          'example.com/api-key': secrets.annotation,
          'kubernetes.io/change-cause': `kubectl set env deploy/secret DB_PASSWORD=${secrets.cause}`,
        },
      },
      spec: {
        ...{ replicas: 1, selector: { matchLabels: { app: 'secret' } } },
        template: template(secrets.environment),
      },
    });
    await untilSettled(cluster, 'Deployment', { namespace, name: 'secret' });
    await cluster
      .client()
      .patch(deploymentPath(namespace, 'secret'), { spec: { template: template(secrets.changed) } });
    await untilSettled(cluster, 'Deployment', { namespace, name: 'secret' });
    await until('both revisions are read', async () => {
      const { revisions, workload } = await shiplog.get(secret);
      return revisions.length === 2 && workload.state === 'complete';
    });
    await placeEventAndLog();
    gathered = await everything();
  });

  async function placeEventAndLog(): Promise<void> {
    const { metadata } = await cluster.client().get<KubeObject>(deploymentPath(namespace, 'secret'));
    const now = new Date().toISOString();
    await cluster.client().create(`/api/v1/namespaces/${namespace}/events`, {
      metadata: { name: 'secret-event' },
      involvedObject: {
        ...{ apiVersion: 'apps/v1', kind: 'Deployment', namespace },
        ...{ name: 'secret', uid: metadata.uid },
      },
      ...{ type: 'Warning', reason: 'Failed', message: `cannot start with --password=${secrets.event}` },
      ...{ firstTimestamp: now, lastTimestamp: now, count: 1 },
    });
    await until('the event is read', async () => {
      const { items } = await shiplog.get(`${secret}/events`);
      return items.some(({ reason }: { reason: string }) => reason === 'Failed');
    });
    if (!cluster.capabilities.simulatedPods) return;
    const { items: pods } = await shiplog.get(`${secret}/pods`);
    const log = [
      `connecting with password=${secrets.log}`,
      '-----BEGIN PRIVATE KEY-----',
      secrets.key,
      '-----END PRIVATE KEY-----',
    ];
    for (const { name } of pods) cluster.setLog(namespace, name, 'app', log.join('\n'));
  }

  /** All output of the server: every answer, page and stream, the audit file and the log. */
  async function everything(): Promise<string> {
    const stream = await openStream(shiplog);
    const { workload, revisions } = await shiplog.get(secret);
    const { items: pods } = await shiplog.get(`${secret}/pods`);
    const pod = pods[0].name;
    const yaml = { headers: { accept: 'application/yaml' } };
    const get = async (path: string, init?: { headers: Record<string, string> }) =>
      (await shiplog.fetch(path, init)).text();
    const texts = await Promise.all([
      ...['/api/cluster', '/api/workloads', `/api/workloads?q=${secrets.cause}`, secret].map((path) =>
        get(path),
      ),
      ...['/pods', '/events', `/pods/${pod}/logs`, '/diff?from=1&to=live&yaml=1'].map((path) =>
        get(secret + path),
      ),
      ...[`/diff?from=1&to=pod:${pod}&yaml=1`, '/revisions/1', '/revisions/2'].map((path) =>
        get(secret + path),
      ),
      ...['/revisions/1', '/revisions/2'].map((path) => get(secret + path, yaml)),
      ...['/', '/?q=secret', `/workloads/deployments.apps/${namespace}/secret`].map((path) => get(path)),
      get(`/workloads/deployments.apps/${namespace}/secret/compare?from=1&to=live`),
      ...['/metrics', '/api/openapi.json'].map((path) => get(path)),
    ]);
    const request = { to: 1, seen: workload.seen, reason: `password=${secrets.reason}`, dryRun: true };
    const post = async (action: string, body: object) => {
      const answer = await shiplog.post(`${secret}/${action}`, body);
      texts.push(JSON.stringify(answer.body));
      return answer;
    };
    expect((await post('rollback', request)).status).toBe(200);
    expect((await post('rollback', { ...request, likeKubectl: true })).status).toBe(200);
    expect((await post('rollback', { ...request, to: 2, dryRun: false })).status).toBe(422);
    await post('restart', { seen: workload.seen, reason: request.reason, dryRun: true });
    const { status, body } = await post('rollback', { ...request, to: revisions[1].id, dryRun: false });
    expect(status, JSON.stringify(body)).toBe(200);
    expect((await post('rollback', { ...request, dryRun: false })).status).toBe(409);
    const action = await until('the rollback has ended', async () => {
      const answer = await shiplog.get(`/api/actions/${body.result.actionId}`);
      return answer.endedAt !== null && answer;
    });
    expect(action.state).toBe('done');
    texts.push(JSON.stringify(action), await get(`${secret}/actions`), await get(secret));
    texts.push(stream.text(), readFileSync(join(shiplog.dataDir, 'audit.jsonl'), 'utf8'), shiplog.log());
    stream.close();

    return texts.join('\n');
  }

  it.each(Object.entries(secrets))('never leave the server: %s', (_place, value) => {
    const at = gathered.indexOf(value);
    expect(at < 0 ? '' : gathered.slice(Math.max(0, at - 200), at + value.length)).toBe('');
  });

  it('never leave the server: token', () => {
    const token = tokenIn(cluster.kubeconfigs.admin);
    if (token !== undefined) expect(gathered.includes(token)).toBe(false);
  });

  it('were all searched for where they would be shown', () => {
    const marker = /\[masked:[0-9a-f]{8}\]/;
    expect(gathered).toMatch(new RegExp(`"DB_PASSWORD","value":"${marker.source}"`));
    expect(gathered).toMatch(new RegExp(`--password=${marker.source}`));
    expect(gathered).toMatch(new RegExp(`app:${marker.source}@db|postgres://${marker.source}@db`));
    expect(gathered).toContain('cannot start with');
    if (cluster.capabilities.simulatedPods) expect(gathered).toContain('connecting with');
  });

  it('are found by no search', async () => {
    for (const value of [secrets.cause, secrets.environment, secrets.label]) {
      expect((await shiplog.get(`/api/workloads?q=${value}`)).items).toEqual([]);
    }
  });

  it('still show that they changed', async () => {
    const { equal, changes, summary } = await shiplog.get(`${secret}/diff?from=2&to=3`).catch(() => {
      return shiplog.get(`${secret}/diff?from=2&to=live`);
    });
    expect(equal).toBe(false);
    expect(summary).toContain('DB_PASSWORD');
    expect(changes).toHaveLength(1);
    expect(changes[0].before).not.toEqual(changes[0].after);
  });

  it('are written unchanged', async () => {
    const { spec } = await cluster.client().get<any>(deploymentPath(namespace, 'secret'));
    expect(spec.template.spec.containers[0].env[0].value).toBe(secrets.environment);
    expect(spec.template.spec.containers[0].args[0]).toBe(`--password=${secrets.flag}`);
  });
});

describe('the data directory', () => {
  it('is for this user only', () => {
    const modeOf = (path: string) => statSync(path).mode & 0o777;
    expect(modeOf(shiplog.dataDir)).toBe(0o700);
    expect(modeOf(join(shiplog.dataDir, 'key'))).toBe(0o600);
    expect(modeOf(join(shiplog.dataDir, 'audit.jsonl'))).toBe(0o600);
  });
});

/** What people do for themselves changes nothing that others see. */
const ownPaths = ['/api/session', '/api/preferences'];

describe('read-only', () => {
  it.each([
    ['SHIPLOG_READ_ONLY', '1', 'admin'],
    ['SHIPLOG_AUTH', 'anonymous', 'anonymous'],
  ])('no route takes a write (%s)', async (name, value, viewer) => {
    const guarded = await startShiplog({ kubeconfig: cluster.kubeconfigs.admin, env: { [name]: value } });
    try {
      const writes = everyRoute.filter(({ method, path }) => method !== 'GET' && !ownPaths.includes(path));
      expect(writes.length).toBeGreaterThan(15);
      for (const { method, path } of writes) {
        const answer = await guarded.fetch(path, {
          method,
          headers: { 'content-type': 'application/json' },
          body: '{}',
        });
        const { error } = (await answer.json()) as { error: { code: string } };
        expect([method, path, answer.status, error.code]).toEqual([method, path, 403, 'read_only']);
      }
      expect(readFileSync(join(guarded.dataDir, 'audit.jsonl'), 'utf8')).toBe('');
      expect((await guarded.get('/api/cluster')).viewer.name).toBe(viewer);
      const { items: pods } = await guarded.get(`${base}/pods`);
      const logs = await guarded.fetch(`${base}/pods/${pods[0].name}/logs`);
      expect(logs.status === 403).toBe(viewer === 'anonymous');
    } finally {
      await guarded.stop();
    }
  });

  it.each([
    ['SHIPLOG_READ_ONLY', '1'],
    ['SHIPLOG_AUTH', 'anonymous'],
  ])('sends the API server neither a write nor a dry run (%s)', async (name, value) => {
    const guarded = await startShiplog({
      kubeconfig: cluster.kubeconfigs.operator,
      env: { [name]: value },
    });
    try {
      const mark = cluster.capabilities.audit ? await cluster.auditPosition() : 0;
      expect((await guarded.get('/api/cluster')).readOnly).toBe(true);
      const { workload } = await guarded.get(base);
      const { items: pods } = await guarded.get(`${base}/pods`);
      const asked = { seen: workload.seen, reason: '' };
      for (const isDry of [true, false]) {
        const answers = await Promise.all([
          guarded.post(`${base}/rollback`, { ...asked, to: 1, dryRun: isDry }),
          ...['pause', 'resume', 'restart'].map((action) =>
            guarded.post(`${base}/${action}`, { ...asked, dryRun: isDry }),
          ),
          guarded.post(`${base}/pods/${pods[0].name}/delete`, {
            ...{ ...asked, uid: pods[0].uid, dryRun: isDry },
          }),
        ]);
        for (const { status, body } of answers) {
          expect(status).toBe(403);
          expect(body.error.code).toBe('read_only');
        }
      }
      if (!cluster.capabilities.audit) return;
      const sent = (await cluster.audit(mark)).filter(({ user }) => user === 'operator');
      const verbs = new Set(sent.map(({ verb, resource }) => (verb === 'create' ? resource : verb)));
      verbs.delete('selfsubjectaccessreviews.authorization.k8s.io');
      // The identity of the viewer: requested once, at any time.
      verbs.delete('selfsubjectreviews.authentication.k8s.io');
      for (const verb of verbs) expect(['get', 'list', 'watch']).toContain(verb);
      expect(sent.some(({ uri }) => uri.includes('dryRun'))).toBe(false);
    } finally {
      await guarded.stop();
    }
  });
});

describe('a start', () => {
  const start = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url));

  function startWith(env: Record<string, string>): Promise<{ code: number | null; output: string }> {
    const clean = Object.entries(process.env).filter(([name]) => !/^(SHIPLOG_|KUBE|PORT$)/.test(name));
    const child = spawn(process.execPath, [start], {
      env: { ...Object.fromEntries(clean), NODE_ENV: 'production', ...env },
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (part: Buffer) => (output += part.toString()));
    }
    return new Promise((resolve) => child.once('exit', (code) => resolve({ code, output })));
  }

  it('on an address that others can reach is refused', async () => {
    const { code, output } = await startWith({
      ...{ KUBECONFIG: cluster.kubeconfigs.admin, SHIPLOG_HOST: '0.0.0.0' },
    });
    expect(code).toBe(1);
    expect(output).toContain('SHIPLOG_HOST is 0.0.0.0');
    expect(output).toContain('SHIPLOG_AUTH');
  });

  it('with an invalid configuration ends with one list of all errors', async () => {
    const { code, output } = await startWith({
      ...{ KUBECONFIG: '/nonexistent/kubeconfig', PORT: 'eighty', SHIPLOG_READ_ONLY: 'perhaps' },
      ...{ SHIPLOG_PUBLIC_URL: 'ftp://x', SHIPLOG_NAMESPACES: 'Shop', SHIPLOG_HOST: '10.0.0.1' },
      ...{ SHIPLOG_LINK_LOGS: 'javascript:alert(1)' },
    });
    expect(code).toBe(1);
    const names = [
      'PORT',
      'SHIPLOG_READ_ONLY',
      'SHIPLOG_PUBLIC_URL',
      'SHIPLOG_NAMESPACES',
      'SHIPLOG_LINK_LOGS',
    ];
    for (const name of [...names, 'SHIPLOG_HOST', 'KUBECONFIG']) expect(output).toContain(`- ${name} `);
    expect(output).not.toContain('    at ');
  });
});
