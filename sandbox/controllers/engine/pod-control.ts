import { type JsonObject } from '@/lib/kube/json';
import { type KubeObject } from '@/lib/kube/object';
import { type Draft, errorText } from '@/sandbox/controllers/engine/resource';
import { type ControllerManager } from '@/sandbox/controllers/engine/controller-manager';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import { type Pod, type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';

const PREFIX_LENGTH_MAX = 252;

/** A pod of a template, owned by `owner`; the API server generates its name. */
export function podDraft(
  owner: KubeObject,
  template: PodTemplateSpec,
): Draft & { spec: PodTemplateSpec['spec'] } {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const { name } = owner.metadata;
  const metadata: JsonObject = {
    generateName: name.length <= PREFIX_LENGTH_MAX ? `${name}-` : name,
    ...(labels === undefined ? {} : { labels }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(finalizers === undefined ? {} : { finalizers }),
    ownerReferences: [controllerReference(owner)],
  };
  return { metadata, spec: template.spec };
}

/** Creates a pod for a ReplicaSet or DaemonSet and writes an event about it. */
export async function createPod(
  manager: ControllerManager,
  component: string,
  owner: KubeObject,
  template: PodTemplateSpec,
): Promise<void> {
  const about = { about: owner, source: { component } };
  try {
    const pod = await manager.pods.create(owner.metadata.namespace, podDraft(owner, template));
    const message = `Created pod: ${pod.metadata.name}`;
    manager.events.record({ ...about, type: 'Normal', reason: 'SuccessfulCreate', message });
  } catch (error) {
    const message = `Error creating: ${errorText(error)}`;
    manager.events.record({ ...about, type: 'Warning', reason: 'FailedCreate', message });
    throw error;
  }
}

export async function deletePod(
  manager: ControllerManager,
  component: string,
  owner: KubeObject,
  pod: Pod,
): Promise<void> {
  const about = { about: owner, source: { component } };
  try {
    if (!(await manager.pods.delete(pod))) return;
    const message = `Deleted pod: ${pod.metadata.name}`;
    manager.events.record({ ...about, type: 'Normal', reason: 'SuccessfulDelete', message });
  } catch (error) {
    const message = `Error deleting: ${errorText(error)}`;
    manager.events.record({ ...about, type: 'Warning', reason: 'FailedDelete', message });
    throw error;
  }
}
