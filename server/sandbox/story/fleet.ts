import { type App } from '@/server/sandbox/story/app';
import { argo, majaLind, using } from '@/server/sandbox/story/actors';
import { type WorkloadStory } from '@/server/sandbox/story/story';

function app(name: string, tag: string): App {
  return {
    namespace: 'shop',
    name,
    image: `registry.example.com/shop/${name}`,
    tag,
    port: 8080,
    env: { LOG_LEVEL: 'info' },
    cpu: '100m',
    memory: '128Mi',
    probe: '/healthz',
  };
}

export const FLEET: readonly WorkloadStory[] = [
  {
    kind: 'Deployment',
    app: app('cart', '1.3.8'),
    replicas: 3,
    born: '20d4h',
    by: argo,
    cause: 'Cart 1.3.8',
    acts: [{ do: 'release', ago: '2h', by: argo, change: { tag: '1.4.0' }, cause: 'Cart 1.4.0' }],
  },
  {
    kind: 'StatefulSet',
    app: app('sessions', '8.1.1'),
    replicas: 3,
    born: '20d4h',
    by: argo,
    cause: 'Valkey',
    acts: [],
  },
  {
    kind: 'DaemonSet',
    app: app('node-agent', '4.7.0'),
    born: '20d4h',
    by: argo,
    acts: [{ do: 'restart', ago: '3h', by: using('rollout', majaLind) }],
  },
];
