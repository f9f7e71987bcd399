import { type Behaviour, type BehaviourImages, behaviourPattern } from '@/e2e/controlplane/stages';

interface ContainerRun {
  image: string;
  container: string;
  /** The previous run. */
  previous: boolean;
}

/** The log of a container by the behavior of its image; undefined when there was no such run. */
export function logTextOf(
  { image, container, previous }: ContainerRun,
  images: BehaviourImages,
): string | undefined {
  const does = (behaviour: Behaviour) => new RegExp(behaviourPattern(behaviour, images)).test(image);
  if (does('broken')) return undefined;
  if (does('crash')) return crashLog(container);
  if (previous) return undefined;

  return does('hang') ? hangLog(container) : servingLog(container);
}

function servingLog(container: string): string {
  const paths = ['/healthz', '/v1/items?limit=50', '/v1/items/4711', '/metrics', '/v1/quote'];
  const line = (index: number) =>
    `level=info component=${container} msg="request served" method=GET path=${paths[index % paths.length]} ` +
    `status=200 duration_ms=${3 + ((index * 7) % 41)}`;

  return Array.from({ length: 120 }, (_, index) => line(index)).join('\n');
}

function crashLog(container: string): string {
  return [
    `level=info component=${container} msg="starting"`,
    `level=info component=${container} msg="configuration loaded" source=environment`,
    ...Array.from(
      { length: 60 },
      (_, index) => `level=debug component=${container} msg="migration checked" number=${index + 1}`,
    ),
    `level=error component=${container} msg="cannot reach the database" error="dial tcp 10.0.0.40:5432: connect: connection refused"`,
    'panic: no database after 5 attempts',
    '',
    'goroutine 1 [running]:',
    'main.mustConnect(...)',
    '\t/src/cmd/server/main.go:88',
    'main.main()',
    '\t/src/cmd/server/main.go:41 +0x1d4',
    'exit status 1',
  ].join('\n');
}

function hangLog(container: string): string {
  return [
    `level=info component=${container} msg="starting"`,
    ...Array.from(
      { length: 30 },
      (_, index) =>
        `level=warn component=${container} msg="not ready yet" reason="waiting for the leader" attempt=${index + 1}`,
    ),
  ].join('\n');
}
