import { AppError } from '@/lib/errors';
import { isAlreadyExists, errorText } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { isDeleting } from '@/sandbox/controllers/objects/pod';
import { type ClaimTemplate, type StatefulSet } from '@/sandbox/controllers/objects/workloads';
import { claimName, podName } from '@/sandbox/controllers/stateful-set/pods';
import { recordFor } from '@/sandbox/controllers/stateful-set/events';

/** Creates the missing volume claims of one slot of the set; they outlive its pods. */
export async function createClaims(
  manager: ControllerManager,
  set: StatefulSet,
  ordinal: number,
): Promise<void> {
  for (const template of set.spec.volumeClaimTemplates ?? []) {
    const name = claimName(set, template.metadata.name, ordinal);
    const present = manager.claims.store.get(`${set.metadata.namespace ?? '-'}/${name}`);
    if (present === undefined) await createClaim(manager, set, template, name, ordinal);
    else if (isDeleting(present)) throw new AppError('conflict', `pvc ${name} is being deleted`);
  }
}

async function createClaim(
  manager: ControllerManager,
  set: StatefulSet,
  template: ClaimTemplate,
  name: string,
  ordinal: number,
): Promise<void> {
  const { labels, annotations } = template.metadata;
  const matchLabels = set.spec.selector.matchLabels as Record<string, string> | undefined;
  const subject = `Claim ${name}`;
  const pod = `Pod ${podName(set, ordinal)} in StatefulSet ${set.metadata.name}`;
  try {
    await manager.claims.create(set.metadata.namespace, {
      metadata: {
        name,
        labels: { ...labels, ...matchLabels },
        ...(annotations === undefined ? {} : { annotations }),
      },
      spec: template.spec,
    });
    recordFor(manager, set, 'Normal', 'SuccessfulCreate', `Create ${subject} ${pod} success`);
  } catch (error) {
    if (isAlreadyExists(error)) return;
    recordFor(
      manager,
      set,
      'Warning',
      'FailedCreate',
      `Create ${subject} for ${pod} failed error: ${errorText(error)}`,
    );
    throw error;
  }
}
