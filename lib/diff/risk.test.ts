import { describe, expect, test } from 'vitest';
import { diffTemplates } from '@/lib/diff/testing/diff-templates';
import type { JsonObject } from '@/lib/kube/json';

function pod(spec: JsonObject): JsonObject {
  return { spec };
}
function app(fields: JsonObject): JsonObject {
  return pod({ containers: [{ name: 'app', image: 'shop/app:1', ...fields }] });
}
function labelled(labels: JsonObject): JsonObject {
  return { metadata: { labels }, spec: {} };
}
function limits(amounts: JsonObject): JsonObject {
  return app({ resources: { limits: amounts } });
}
function requests(amounts: JsonObject): JsonObject {
  return app({ resources: { requests: amounts } });
}
function security(context: JsonObject): JsonObject {
  return app({ securityContext: context });
}
function volume(source: JsonObject): JsonObject {
  return pod({ volumes: [{ name: 'v', ...source }] });
}
function risksOf(before: JsonObject, after: JsonObject): string[] {
  return diffTemplates(before, after).changes.flatMap(({ risk }) =>
    risk === null ? [] : [`${risk.code}: ${risk.reason}`],
  );
}

const none = app({});
const secretEnv = app({ env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'db', key: 'p' } } }] });
const probe = { tcpSocket: { port: 80 } };

describe('a risky change names its risk', () => {
  test.each<[JsonObject, JsonObject, string]>(
    // prettier-ignore
    [
    [none, app({ image: 'shop/app' }), 'mutable_image: no tag: mutable tag, the image can change without a new revision'],
    [none, app({ image: 'shop/app:latest' }), 'mutable_image: tag latest: mutable tag, the image can change without a new revision'],
    [none, app({ image: 'ghcr.io/shop/app:1' }), 'registry_changed: pulled from ghcr.io instead of docker.io'],
    [none, app({ imagePullPolicy: 'Never' }), 'pull_never: never pulled: every node must already have the image'],
    [limits({ memory: '1Gi' }), limits({ memory: '768Mi' }), 'limit_lowered: memory limit lowered by 25%'],
    [limits({ cpu: '1' }), limits({}), 'limit_removed: cpu limit removed: can use all free cpu of the node'],
    [requests({ cpu: '1' }), requests({ cpu: '500m' }), 'request_lowered: cpu request lowered by 50%'],
    [requests({ memory: '1' }), none, 'request_removed: memory request removed: QoS drops, evicted earlier under node pressure'],
    [app({ livenessProbe: probe }), none, 'probe_removed: probe removed: hung processes are no longer restarted'],
    [app({ readinessProbe: probe }), none, 'probe_removed: probe removed: traffic can reach pods that are not ready'],
    [app({ lifecycle: { preStop: { sleep: { seconds: 5 } } } }), none, 'pre_stop_removed: pre-stop hook removed: requests can be cut off'],
    [none, security({ privileged: true }), 'privileged: privileged: full access to the node'],
    [none, security({ runAsUser: 0 }), 'runs_as_root: runs as root'],
    [pod({ securityContext: { runAsNonRoot: true } }), pod({}), 'may_run_as_root: can run as root'],
    [security({ allowPrivilegeEscalation: false }), security({}), 'privilege_escalation: processes can gain more privileges than their parent'],
    [security({ readOnlyRootFilesystem: true }), security({ readOnlyRootFilesystem: false }), 'writable_root: root file system is writable'],
    [security({}), security({ capabilities: { add: ['NET_ADMIN'] } }), 'capability_added: gains capability NET_ADMIN'],
    [security({ capabilities: { drop: ['ALL'] } }), security({}), 'capability_kept: keeps all default capabilities'],
    [security({ seccompProfile: { type: 'RuntimeDefault' } }), security({ seccompProfile: { type: 'Unconfined' } }), 'seccomp_off: seccomp filter removed'],
    [pod({}), pod({ hostNetwork: true }), 'host_network: shares the network of the node'],
    [pod({}), pod({ hostPID: true }), 'host_pid: shares the process table of the node'],
    [pod({}), volume({ hostPath: { path: '/var/run' } }), 'host_path: can access /var/run on the node'],
    [volume({ hostPath: { path: '/a' } }), volume({ hostPath: { path: '/b' } }), 'host_path: can access /b on the node'],
    [volume({ persistentVolumeClaim: { claimName: 'data' } }), volume({ emptyDir: {} }), 'claim_removed: the data of claim data is no longer mounted'],
    [secretEnv, none, 'secret_env_removed: no longer set from Secret db'],
    [app({ envFrom: [{ secretRef: { name: 'db' } }] }), none, 'secret_env_removed: no longer reads the keys of Secret db'],
    [secretEnv, app({ env: [{ name: 'PASSWORD', value: 'hunter2' }] }), 'inline_secret: looks like a credential in plain text'],
    [none, app({ env: [{ name: 'X', value: '[masked:0123abcd]' }] }), 'inline_secret: looks like a credential in plain text'],
    [pod({}), pod({ serviceAccountName: 'admin' }), 'service_account: runs as admin: different permissions for the API server'],
    [pod({ automountServiceAccountToken: false }), pod({}), 'token_mounted: gets a token for the API server'],
    [pod({}), pod({ terminationGracePeriodSeconds: 5 }), 'grace_period_lowered: shorter termination grace period'],
    [pod({ imagePullSecrets: [{ name: 'r' }] }), pod({}), 'pull_secret_removed: private images may no longer be pulled'],
    [labelled({ 'app.kubernetes.io/name': 'a' }), labelled({}), 'selector_label: selectors on app.kubernetes.io/name may no longer match these pods'],
    [
      none,
      pod({
        containers: [
          { name: 'app', image: 'shop/app:1' },
          { name: 'x', image: 'x:1', securityContext: { privileged: true } },
        ],
      }),
      'privileged: privileged: full access to the node',
    ],
  ],
  )('%#', (before, after, expected) => {
    expect(risksOf(before, after)).toEqual([expected]);
  });
});

describe('an improvement, or a neutral change, has no risk', () => {
  test.each<[string, JsonObject, JsonObject]>(
    // prettier-ignore
    [
    ['raised limits', limits({ memory: '1Gi' }), limits({ memory: '2Gi', cpu: 1 })],
    ['another tag', none, app({ image: 'shop/app:2' })],
    ['latest with a digest', none, app({ image: `shop/app:latest@sha256:${'0'.repeat(64)}` })],
    ['a probe that is new', none, app({ livenessProbe: probe })],
    ['rights that are taken away', security({ privileged: true, runAsUser: 0 }), security({ privileged: false, runAsUser: 1000 })],
    ['a capability that is dropped', security({}), security({ capabilities: { drop: ['ALL'] } })],
    ['a host path that goes', volume({ hostPath: { path: '/a' } }), pod({})],
    ['a plain variable', none, app({ env: [{ name: 'TOKEN_URL', value: 'https://x' }, { name: 'A', value: 'b' }] })],
    ['a label of a release', labelled({ version: '1' }), labelled({ version: '2' })],
    ['a filter that is new', none, security({ seccompProfile: { type: 'RuntimeDefault' } })],
    ['a move', app({ env: [{ name: 'A' }, { name: 'B' }] }), app({ env: [{ name: 'B' }, { name: 'A' }] })],
  ],
  )('%s', (_name, before, after) => {
    expect(diffTemplates(before, after).equal).toBe(false);
    expect(risksOf(before, after)).toEqual([]);
  });
});
