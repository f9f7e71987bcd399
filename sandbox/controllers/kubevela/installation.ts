import { listOrEmptyAt, showJson } from '@/sandbox/api/objects/stored-object';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { type Compression } from '@/sandbox/controllers/kubevela/compression';

/** The settings of the KubeVela installation. */
export interface Installation {
  /** In the form that revisions record. */
  readonly version: string;
  /** Of revisions that are updated. */
  readonly compression: Compression | undefined;
  /** The number of old revisions to keep. */
  readonly revisionLimit: number;
}

/** Name of the chart, which its Deployment is labeled with. */
const CHART = 'vela-core';
const REVISION_LIMIT = 10;
const VERSION = '1.10.9';

/**
 * Reads the arguments of KubeVela's Deployment; without one the defaults of its program.
 * https://github.com/kubevela/kubevela/blob/master/charts/vela-core/templates/kubevela-controller.yaml
 */
export function installationIn(manager: ControllerManager): Installation {
  const core = manager.deployments.store
    .all()
    .find(({ metadata }) => metadata.labels?.['app.kubernetes.io/name'] === CHART);
  const containers = core?.spec.template.spec.containers ?? [];
  const args = containers.flatMap((container) => listOrEmptyAt(container, 'args').map(showJson));
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
