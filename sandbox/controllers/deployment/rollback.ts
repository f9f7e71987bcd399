import { restoredAnnotations, revisionOf, ROLLBACK_TO } from '@/sandbox/controllers/deployment/annotations';
import { syncRevision } from '@/sandbox/controllers/deployment/new-replica-set';
import {
  everySet,
  lastRevision,
  sameTemplate,
  withoutHash,
} from '@/sandbox/controllers/deployment/replica-sets';
import { type DeploymentReconcile } from '@/sandbox/controllers/deployment/deployment-reconcile';
import { type Deployment, type ReplicaSet } from '@/sandbox/controllers/objects/workloads';

/**
 * The revision that the old annotation asks to roll back to; 0 means the previous one. Undefined without it.
 */
export function rollbackOf({ metadata }: Deployment): number | undefined {
  const text = metadata.annotations?.[ROLLBACK_TO];
  return text !== undefined && /^[+-]?\d+$/.test(text) ? Number(text) : undefined;
}

/**
 * The former rollback API, preserved as an annotation.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/deployment/rollback.go
 */
export async function rollBack(rollout: DeploymentReconcile, request: number): Promise<void> {
  const sets = everySet(await syncRevision(rollout, true));
  const number = request === 0 ? lastRevision(sets) : request;
  const target =
    number === 0 ? undefined : sets.find(({ metadata }) => revisionOf(metadata.annotations) === number);
  if (target === undefined) {
    const what = request === 0 && number === 0 ? 'last revision' : 'the revision to rollback to';
    rollout.record('Warning', 'DeploymentRollbackRevisionNotFound', `Unable to find ${what}.`);
    await rollout.replace(withoutAnnotation(rollout.deployment));
    return;
  }
  await restore(rollout, target, number);
}

async function restore(rollout: DeploymentReconcile, target: ReplicaSet, number: number): Promise<void> {
  const { deployment } = rollout;
  const { name } = deployment.metadata;
  if (sameTemplate(deployment.spec.template, target.spec.template)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    rollout.record('Warning', 'DeploymentRollbackTemplateUnchanged', message);
    await rollout.replace(withoutAnnotation(deployment));
    return;
  }
  const annotations = restoredAnnotations(deployment.metadata.annotations, target.metadata.annotations);
  const template = withoutHash(target.spec.template);
  await rollout.replace(
    withoutAnnotation({
      ...deployment,
      metadata: { ...deployment.metadata, annotations },
      spec: { ...deployment.spec, template },
    }),
  );
  rollout.record('Normal', 'DeploymentRollback', `Rolled back deployment "${name}" to revision ${number}`);
}

function withoutAnnotation(deployment: Deployment): Deployment {
  const { [ROLLBACK_TO]: _asked, ...annotations } = deployment.metadata.annotations ?? {};
  return { ...deployment, metadata: { ...deployment.metadata, annotations } };
}
