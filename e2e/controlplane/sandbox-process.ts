// The sandbox in a process of its own, for sandbox-cluster.ts: its API server, controllers and kubelets on real time.
import { openSync, writeSync } from 'node:fs';
import type {
  SandboxAddress,
  SandboxCommand,
  SandboxMessage,
  SandboxReply,
} from '@/e2e/controlplane/sandbox-commands';
import { logTextOf } from '@/e2e/controlplane/pod-logs';
import { type Behaviour, behaviourPattern, type BehaviourImages } from '@/e2e/controlplane/stages';
import { UNAUDITED } from '@/e2e/controlplane/users';
import { systemClock } from '@/server/shared/clock';
import { createLogger } from '@/server/shared/log';
import type { AuditRecord } from '@/sandbox/api/api-request';
import type { LogSource } from '@/sandbox/api/pod-log';
import { type SandboxApi, startSandboxApi } from '@/sandbox/api/sandbox-api';
import { listOrEmptyAt, textOrEmptyAt } from '@/sandbox/api/objects/stored-object';
import { startControllers } from '@/sandbox/controllers/controllers';
import type { PodOutcome, PodBehaviours } from '@/sandbox/controllers/kubelet/behaviour';
import { createUserTransport } from '@/sandbox/actors';

type Start = SandboxCommand & { do: 'start' };

const CONTROLLERS = 'system:kube-controller-manager';
const SLOW_MS = 3_000;

/** Logs set by tests, by `namespace/pod/container`. */
const customLogs = new Map<string, string>();
let api: SandboxApi | undefined;

process.on('message', ({ id, command }: SandboxMessage) => {
  execute(command).then(
    (address) => reply({ id, ...(address === undefined ? {} : { address }) }),
    (error: unknown) => reply({ id, error: error instanceof Error ? (error.stack ?? '') : String(error) }),
  );
});
// The parent process has ended.
process.on('disconnect', () => process.exit());

function reply(message: SandboxReply): void {
  process.send?.(message);
}

async function execute(command: SandboxCommand): Promise<SandboxAddress | undefined> {
  switch (command.do) {
    case 'start':
      return start(command);
    case 'setLog':
      customLogs.set(`${command.namespace}/${command.pod}/${command.container}`, command.text);
      return undefined;
    case 'suspend':
      await api?.suspend();
      return undefined;
    case 'resume':
      await api?.resume();
      return undefined;
    case 'renewCertificate':
      await api?.renewCertificate();
      return addressOf(api);
    case 'forgetHistory':
      api?.control({ do: 'forgetHistory' });
      return undefined;
    default:
      return command satisfies never;
  }
}

async function start(command: Start): Promise<SandboxAddress | undefined> {
  api = await startSandboxApi({ audit: writeTo(command.auditFile), logs: logsOf(command.behaviours) });
  if (command.controllers) {
    startControllers({
      transport: createUserTransport(api, CONTROLLERS),
      clock: systemClock,
      log: createLogger({ level: 'error' }),
      nodes: Array.from({ length: command.nodes }, (_, index) => nodeOf(index + 1, command.nodeCapacity)),
      podBehaviour: behavioursOf(command.behaviours),
      // Queries of tests are numbers, and the metric is that number.
      metrics: Number,
    });
  }

  return addressOf(api);
}

function addressOf(running: SandboxApi | undefined): SandboxAddress | undefined {
  return running && { url: running.url, ca: running.ca, tokens: running.tokens };
}

function nodeOf(number: number, capacity: Record<string, string>) {
  const name = `worker-${number}`;

  return { name, labels: { 'kubernetes.io/hostname': name, 'kubernetes.io/os': 'linux' }, capacity };
}

function writeTo(file: string): (entry: AuditRecord) => void {
  const descriptor = openSync(file, 'a');

  return (entry) => {
    if (!UNAUDITED.includes(entry.user)) writeSync(descriptor, `${JSON.stringify(entry)}\n`);
  };
}

function logsOf(images: BehaviourImages): LogSource {
  return ({ pod, container, previous }) => {
    const { name, namespace } = pod.metadata;
    const given = customLogs.get(`${namespace}/${name}/${container}`);
    if (given !== undefined) return given;
    const containers = [
      ...listOrEmptyAt(pod, 'spec', 'containers'),
      ...listOrEmptyAt(pod, 'spec', 'initContainers'),
    ];
    const found = containers.find((entry) => textOrEmptyAt(entry, 'name') === container);

    return logTextOf({ image: textOrEmptyAt(found, 'image'), container, previous }, images);
  };
}

/** Like the simulated kubelets of the real control plane: by the image, at once except for slow ones. */
function behavioursOf(images: BehaviourImages): PodBehaviours {
  const outcomes: [Behaviour, PodOutcome][] = [
    ['broken', 'broken'],
    ['crash', 'crash'],
    ['hang', 'hang'],
    ['slow', 'ready'],
  ];
  const patterns = outcomes.map(
    ([behaviour, outcome]) => [new RegExp(behaviourPattern(behaviour, images)), behaviour, outcome] as const,
  );

  return ({ spec }) => {
    for (const [pattern, behaviour, outcome] of patterns) {
      const culprit = spec.containers.find(({ image }) => pattern.test(image ?? ''));
      if (culprit === undefined) continue;
      const readyAfterMs = behaviour === 'slow' ? SLOW_MS : 0;
      return { outcome, container: culprit.name, startsAfterMs: 0, readyAfterMs, stopsAfterMs: 0 };
    }
    return { outcome: 'ready', startsAfterMs: 0, readyAfterMs: 0, stopsAfterMs: 0 };
  };
}
