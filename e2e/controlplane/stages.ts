/** How a container fails to start. */
export type Behaviour = 'broken' | 'crash' | 'hang' | 'slow';

/** Images that fail although their tag does not say so. */
export type BehaviourImages = Partial<Record<Behaviour, string[]>>;

const BEHAVIOURS: Behaviour[] = ['broken', 'crash', 'hang', 'slow'];
const READY_AFTER_MS = 3_000;
/** Restarts are slow, so that a crash loop is visible without flooding the watch. */
const RESTART_EVERY_MS = 30_000;
const RESTARTS_MAX = 12;

/**
 * The behavior of an image: by its tag (`app:crash`, `app:2.1.0-crash`) or by a list. The text is a regular
 * expression with the same meaning in Go, jq and JavaScript.
 */
export function behaviourPattern(behaviour: Behaviour, images: BehaviourImages = {}): string {
  const listed = (images[behaviour] ?? []).map((image) => `|^${image.replace(/[.+]/g, '[$&]')}$`);

  return `[:-]${behaviour}$${listed.join('')}`;
}

/**
 * The stage file of the simulated kubelets: nodes become ready and name the log server; pods start, or fail, by their
 * image.
 * https://kwok.sigs.k8s.io/docs/user/stages-configuration/
 */
export function stageFile(kubeletPort: number, images: BehaviourImages): string {
  const documents = [configuration(), nodeReady(kubeletPort), ...podStages(images)];

  return documents.map((document) => JSON.stringify(document)).join('\n---\n');
}

function configuration(): object {
  return {
    apiVersion: 'config.kwok.x-k8s.io/v1alpha1',
    kind: 'KwokConfiguration',
    options: {
      cidr: '10.1.0.0/16',
      podPlayStageParallelism: 16,
      nodePlayStageParallelism: 4,
      podsOnNodeSyncParallelism: 4,
      nodeLeaseDurationSeconds: 0,
    },
  };
}

function nodeReady(kubeletPort: number): object {
  return stage('node-ready', 'Node', {
    selector: [['.status.conditions[]? | select(.type == "Ready") | .status', 'NotIn', 'True']],
    status: `
{{ $now := Now }}
addresses:
- { type: InternalIP, address: 127.0.0.1 }
- { type: Hostname, address: {{ .metadata.name | Quote }} }
daemonEndpoints: { kubeletEndpoint: { Port: ${kubeletPort} } }
conditions:
{{ range NodeConditions }}
- type: {{ .type | Quote }}
  status: {{ .status | Quote }}
  reason: {{ .reason | Quote }}
  message: {{ .message | Quote }}
  lastHeartbeatTime: {{ $now | Quote }}
  lastTransitionTime: {{ $now | Quote }}
{{ end }}
nodeInfo:
  architecture: amd64
  operatingSystem: linux
  osImage: Simulated
  kernelVersion: "6.12"
  containerRuntimeVersion: containerd://2.1.4
  kubeletVersion: v1.36.3
  kubeProxyVersion: ""
  bootID: ""
  machineID: ""
  systemUUID: ""
`,
  });
}

function podStages(images: BehaviourImages): object[] {
  const behaves = (value: string): Requirement => [behaviourQuery(images), 'In', value];
  const alive: Requirement = ['.metadata.deletionTimestamp', 'DoesNotExist'];
  const fresh: Requirement[] = [alive, ['.status.containerStatuses', 'DoesNotExist']];
  const gates = '.spec.readinessGates[]?.conditionType';
  const unready: Requirement = [
    '.status.conditions[]? | select(.type == "Ready") | .status',
    'NotIn',
    'True',
  ];
  const running = '[.status.containerStatuses[]?.image]';
  const otherImages: Requirement[] = [
    alive,
    ['.status.containerStatuses', 'Exists'],
    [`[.spec.containers[].image] - ${running} | length`, 'NotIn', '0'],
  ];
  const template = (readiness: Readiness, restarts?: string) => podStatus(images, readiness, restarts);

  return [
    stage('pod-start', 'Pod', {
      selector: [...fresh, behaves('fast'), [gates, 'DoesNotExist']],
      status: template('ready'),
    }),
    stage('pod-start-gated', 'Pod', {
      selector: [...fresh, behaves('fast'), [gates, 'Exists']],
      status: template('gated'),
    }),
    stage('pod-gates-open', 'Pod', {
      selector: [
        alive,
        unready,
        behaves('fast'),
        ['.status.phase', 'In', 'Running'],
        [gates, 'Exists'],
        [`[${gates}] - [.status.conditions[]? | select(.status == "True") | .type] | length`, 'In', '0'],
      ],
      status: template('ready'),
    }),
    stage('pod-image-changed', 'Pod', {
      selector: [...otherImages, behaves('fast'), [gates, 'DoesNotExist']],
      status: template('ready'),
    }),
    stage('pod-image-changed-gated', 'Pod', {
      selector: [...otherImages, behaves('fast'), [gates, 'Exists']],
      status: template('gated'),
    }),
    stage('pod-image-changed-badly', 'Pod', {
      selector: [...otherImages, [behaviourQuery(images), 'NotIn', 'fast']],
      status: template('unready', '1'),
    }),
    // One that is not restarted, such as a test of Helm, ends well.
    stage('pod-complete', 'Pod', {
      selector: [alive, ['.spec.restartPolicy', 'In', 'Never'], ['.status.phase', 'In', 'Running']],
      status: 'phase: Succeeded',
    }),
    stage('pod-start-slow', 'Pod', { selector: [...fresh, behaves('slow')], status: template('unready') }),
    stage('pod-slow-ready', 'Pod', {
      selector: [alive, unready, behaves('slow'), ['.status.phase', 'In', 'Running']],
      delayMs: READY_AFTER_MS,
      status: template('ready'),
    }),
    stage('pod-start-hang', 'Pod', {
      selector: [...fresh, behaves('hang')],
      status: template('unready'),
      event: ['Warning', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503'],
    }),
    stage('pod-start-crash', 'Pod', {
      selector: [...fresh, behaves('crash')],
      status: template('unready', '1'),
      event: ['Warning', 'BackOff', 'Back-off restarting failed container'],
    }),
    stage('pod-crash-again', 'Pod', {
      selector: [
        alive,
        behaves('crash'),
        [`[.status.containerStatuses[]?.restartCount] | max < ${RESTARTS_MAX}`, 'In', 'true'],
        ['.status.containerStatuses', 'Exists'],
      ],
      delayMs: RESTART_EVERY_MS,
      status: template('unready', '(add 1 (int (index $pod.status.containerStatuses $index).restartCount))'),
      event: ['Warning', 'BackOff', 'Back-off restarting failed container'],
    }),
    stage('pod-start-broken', 'Pod', {
      selector: [...fresh, behaves('broken')],
      status: template('unready'),
      event: ['Warning', 'Failed', 'Error: ImagePullBackOff'],
    }),
    stage('pod-delete', 'Pod', { selector: [['.metadata.deletionTimestamp', 'Exists']], delete: true }),
  ];
}

/** The worst behavior among the containers decides for the pod. */
function behaviourQuery(images: BehaviourImages): string {
  const tests = BEHAVIOURS.map(
    (behaviour) => `any(test(${JSON.stringify(behaviourPattern(behaviour, images))})) then "${behaviour}"`,
  );

  return `[.spec.containers[].image] | if ${tests.join(' elif ')} else "fast" end`;
}

/** In the words of a kubelet; the template sets `$unready`. */
const UNREADY_MESSAGE = {
  ContainersNotReady: '{{ printf "containers with unready status: [%s]" (join " " $unready) | Quote }}',
  ReadinessGatesNotReady: 'the readiness gates are not all open',
};

type Readiness = 'ready' | 'unready' | 'gated';

function podStatus(images: BehaviourImages, readiness: Readiness, restarts = '0'): string {
  const is = (behaviour: Behaviour) => `regexMatch \`${behaviourPattern(behaviour, images)}\` .image`;
  const verdict = (type: string, reason: keyof typeof UNREADY_MESSAGE | undefined) =>
    `- type: ${type}\n  lastTransitionTime: {{ $now | Quote }}\n  ` +
    (reason === undefined
      ? 'status: "True"'
      : `status: "False"\n  reason: ${reason}\n  message: ${UNREADY_MESSAGE[reason]}`);
  const containers = readiness === 'unready' ? 'ContainersNotReady' : undefined;

  return `
{{ $pod := . }}
{{ $now := Now }}
{{ $phase := "Running" }}
{{ $unready := list }}
{{ range .spec.containers }}
{{ if ${is('broken')} }}{{ $phase = "Pending" }}{{ end }}
{{ if or (${is('broken')}) (${is('crash')}) (${is('hang')}) (${is('slow')}) }}{{ $unready = append $unready .name }}{{ end }}
{{ end }}
phase: {{ $phase }}
startTime: {{ or .status.startTime $now | Quote }}
hostIP: 127.0.0.1
hostIPs: [{ ip: 127.0.0.1 }]
{{ $ip := or .status.podIP (PodIPWith .spec.nodeName (or .spec.hostNetwork false) .metadata.uid .metadata.name .metadata.namespace) }}
podIP: {{ $ip | Quote }}
podIPs: [{ ip: {{ $ip | Quote }} }]
conditions:
${verdict('Initialized', undefined)}
${verdict('ContainersReady', containers)}
${verdict('Ready', readiness === 'gated' ? 'ReadinessGatesNotReady' : containers)}
initContainerStatuses:
{{ range .spec.initContainers }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  imageID: {{ printf "%s@sha256:%s" (regexReplaceAll ":[^:/]*$" .image "") (sha256sum .image) | Quote }}
  ready: true
  restartCount: 0
  {{ if eq (or .restartPolicy "") "Always" }}
  started: true
  state: { running: { startedAt: {{ $now | Quote }} } }
  {{ else }}
  state: { terminated: { exitCode: 0, reason: Completed, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }
  {{ end }}
{{ end }}
containerStatuses:
{{ range $index, $item := .spec.containers }}
{{ with $item }}
- name: {{ .name | Quote }}
  image: {{ .image | Quote }}
  {{ if ${is('broken')} }}
  imageID: ""
  ready: false
  started: false
  restartCount: 0
  state:
    waiting:
      reason: ImagePullBackOff
      message: {{ printf "Back-off pulling image \\"%s\\": ErrImagePull: rpc error: code = NotFound desc = failed to pull and unpack image \\"%s\\": not found" .image .image | Quote }}
  {{ else }}
  imageID: {{ printf "%s@sha256:%s" (regexReplaceAll ":[^:/]*$" .image "") (sha256sum .image) | Quote }}
  {{ if ${is('crash')} }}
  ready: false
  started: false
  restartCount: {{ ${restarts} }}
  state:
    waiting:
      reason: CrashLoopBackOff
      message: {{ printf "back-off 40s restarting failed container=%s pod=%s_%s(%s)" .name $pod.metadata.name $pod.metadata.namespace $pod.metadata.uid | Quote }}
  lastState: { terminated: { exitCode: 1, reason: Error, startedAt: {{ $now | Quote }}, finishedAt: {{ $now | Quote }} } }
  {{ else }}
  ready: {{ if or (${is('hang')}) (${is('slow')}) }}${readiness === 'ready'}{{ else }}true{{ end }}
  started: true
  restartCount: 0
  state: { running: { startedAt: {{ $now | Quote }} } }
  {{ end }}
  {{ end }}
{{ end }}
{{ end }}
`;
}

type Requirement = [key: string, operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist', value?: string];

interface StageOptions {
  selector: Requirement[];
  status?: string;
  delayMs?: number;
  event?: [type: 'Normal' | 'Warning', reason: string, message: string];
  delete?: boolean;
}

function stage(name: string, kind: 'Node' | 'Pod', options: StageOptions): object {
  const matchExpressions = options.selector.map(([key, operator, value]) => ({
    key,
    operator,
    ...(value === undefined ? {} : { values: [value] }),
  }));

  return {
    apiVersion: 'kwok.x-k8s.io/v1alpha1',
    kind: 'Stage',
    metadata: { name },
    spec: {
      resourceRef: { apiGroup: 'v1', kind },
      selector: { matchExpressions },
      ...(options.delayMs === undefined ? {} : { delay: { durationMilliseconds: options.delayMs } }),
      next: nextOf(options),
    },
  };
}

function nextOf({ status, event, delete: remove }: StageOptions): object {
  if (remove === true) return { delete: true };

  return {
    ...(status === undefined
      ? {}
      : { patches: [{ subresource: 'status', root: 'status', type: 'strategic', template: status }] }),
    ...(event === undefined ? {} : { event: { type: event[0], reason: event[1], message: event[2] } }),
  };
}
