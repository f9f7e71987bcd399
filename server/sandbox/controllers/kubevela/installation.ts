import { listAt, showJson } from '@/server/sandbox/api/stored-object';
import { type World } from '@/server/sandbox/controllers/engine/world';
import { type Compression } from '@/server/sandbox/controllers/kubevela/compression';

/** How KubeVela was told to behave when it was installed. */
export interface Installation {
  /** As revisions note it. */
  readonly version: string;
  /** Of revisions that are updated. */
  readonly compression: Compression | undefined;
  /** So many old revisions stay. */
  readonly revisionLimit: number;
}

/** Name of the chart, which its Deployment is labelled with. */
const CHART = 'vela-core';
const REVISION_LIMIT = 10;
const VERSION = '1.10.9';

/**
 * Reads the arguments of the Deployment that KubeVela would run in; without one those of its program.
 * https://github.com/kubevela/kubevela/blob/master/charts/vela-core/templates/kubevela-controller.yaml
 */
export function installationIn(world: World): Installation {
  const core = world.deployments.store
    .all()
    .find(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === CHART);
  const containers = core?.spec.template.spec.containers ?? [];
  const args = containers.flatMap((container) => listAt(container, 'args').map(showJson));
  const valueOf = (flag: string) =>
    args.findLast((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);
  const gates = (valueOf('feature-gates') ?? '').split(',');
  return {
    version: `v${/:v?([^:]+)$/.exec(containers[0]?.image ?? '')?.[1] ?? VERSION}`,
    compression: gates.includes('ZstdApplicationRevision=true')
      ? 'zstd'
      : gates.includes('GzipApplicationRevision=true')
        ? 'gzip'
        : undefined,
    revisionLimit: Number(valueOf('application-revision-limit') ?? REVISION_LIMIT),
  };
}
