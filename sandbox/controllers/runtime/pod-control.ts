import type { JsonObject } from '@/lib/kube/json';
import type { KubeObject } from '@/lib/kube/object';
import type { ControllerManager } from '@/sandbox/controllers/runtime/controller-manager';
import { type Draft, errorText, isAlreadyExists } from '@/sandbox/controllers/runtime/resource';
import { controllerReference } from '@/sandbox/controllers/objects/owner';
import type { PodTemplateSpec } from '@/sandbox/controllers/objects/pod';

/** A pod of a template, owned by `owner`; the API server generates its name. */
export function podDraft(
  owner: KubeObject,
  template: PodTemplateSpec,
): Draft & { spec: PodTemplateSpec['spec'] } {
  const { labels, annotations, finalizers } = template.metadata ?? {};
  const metadata: JsonObject = {
    generateName: `${owner.metadata.name}-`,
    labels,
    annotations,
    finalizers,
    ownerReferences: [controllerReference(owner)],
  };
  return { metadata, spec: template.spec };
}

export type PodVerb = 'create' | 'update' | 'delete';

const REASONS = { create: 'Create', update: 'UpdatePodInPlace', delete: 'Delete' };

/** Whose events tell of actions on pods, and in which words. */
export interface PodReporter {
  readonly about: KubeObject;
  readonly component: string;
  readonly message: (verb: PodVerb, pod: string, error: string | undefined) => string;
}

/** The words of ReplicaSets and DaemonSets. */
export function podMessage(verb: PodVerb, pod: string, error: string | undefined): string {
  const stem = verb.slice(0, -1);
  if (error !== undefined) return `Error ${stem}ing: ${error}`;
  return `${stem.charAt(0).toUpperCase()}${stem.slice(1)}ed pod: ${pod}`;
}

/** Writes an event about an action that returns the name of the pod, or nothing where there was nothing to do. */
export async function reportPod(
  manager: ControllerManager,
  reporter: PodReporter,
  verb: PodVerb,
  pod: string,
  act: () => Promise<string | undefined>,
): Promise<void> {
  try {
    const name = await act();
    if (name !== undefined) recordPod(manager, reporter, verb, name, undefined);
  } catch (error) {
    // A pod of that name may still terminate: its owner tries again and again.
    if (!isAlreadyExists(error)) recordPod(manager, reporter, verb, pod, errorText(error));
    throw error;
  }
}

export function recordPod(
  { events }: ControllerManager,
  { about, component, message }: PodReporter,
  verb: PodVerb,
  pod: string,
  error: string | undefined,
): void {
  events.record({
    about,
    type: error === undefined ? 'Normal' : 'Warning',
    reason: `${error === undefined ? 'Successful' : 'Failed'}${REASONS[verb]}`,
    message: message(verb, pod, error),
    source: { component },
  });
}
