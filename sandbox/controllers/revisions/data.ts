import { type JsonObject } from '@/lib/kube/json';
import { type PodTemplateSpec } from '@/sandbox/controllers/objects/pod';
import { type ControllerRevision } from '@/sandbox/controllers/objects/workloads';
import { goJson } from '@/sandbox/controllers/revisions/go-json';

/**
 * What a ControllerRevision of a StatefulSet or DaemonSet records: a strategic merge patch that replaces the template.
 * https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/statefulset/stateful_set_utils.go (getPatch)
 */
export function revisionData(template: PodTemplateSpec): JsonObject {
  return { spec: { template: { ...template, $patch: 'replace' } } };
}

/** The bytes by which controllers compare revisions. */
export function dataText(data: JsonObject): string {
  return goJson(data);
}

/** The template of a revision; undefined when its data is something else. */
export function templateOf({ data }: Pick<ControllerRevision, 'data'>): PodTemplateSpec | undefined {
  const template = (data as { spec?: { template?: Partial<PodTemplateSpec> & { $patch?: string } } }).spec
    ?.template;
  if (template?.spec === undefined) return undefined;
  const { $patch: _patch, ...rest } = template;
  return { ...rest, spec: template.spec };
}
